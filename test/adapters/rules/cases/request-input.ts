// Cases of rules about request input, by rule.
import { type Cases, example } from "../rule-cases.ts";

export const REQUEST_INPUT: Cases = {
  "path-traversal": {
    bad: [
      example("src/files.ts", "res.sendFile(path.join(UPLOADS, req.params.name));"),
      example("src/files.js", "fs.readFile(req.query.file, (error, body) => res.end(body));"),
      example("app/files.py", 'return send_file(os.path.join(UPLOADS, request.args["name"]))'),
      example("files.go", 'f, err := os.Open(filepath.Join(uploads, r.URL.Query().Get("name")))'),
      example("Files.java", 'File file = new File(uploads, request.getParameter("name"));'),
      example("app/controllers/files_controller.rb", 'send_file Rails.root.join("uploads", params[:name])'),
      example("files.php", '<?php include "pages/" . $_GET["page"];', 'readfile($_GET["file"]);'),
    ],
    good: [
      example("src/files.ts", "res.sendFile(path.join(UPLOADS, path.basename(req.params.name)));"),
      example("src/files.js", 'fs.readFile(path.join(ROOT, "index.html"), done);'),
      example("app/files.py", "return send_file(os.path.join(UPLOADS, secure_filename(request.args['name'])))"),
      example("files.go", 'f, err := os.Open(filepath.Join(uploads, filepath.Base(r.URL.Query().Get("name"))))'),
      example("app/controllers/files_controller.rb", "send_file upload.path"),
      example("files.php", '<?php include "pages/" . basename($_GET["page"]);'),
    ],
  },
  "rights-narrowed-late": {
    bad: [
      example("app/key.py", 'with open(path, "w") as file:', "    file.write(key)", "os.chmod(path, 0o600)"),
      example("src/key.js", "function save() {", "  fs.writeFileSync(file, key);", "  fs.chmodSync(file, 0o600);", "}"),
      example("key.go", "func save() {", "\tf, err := os.Create(name)", "\terr = os.Chmod(name, 0600)", "}"),
      example("lib/key.rb", "def save", "  File.write(path, key)", "  File.chmod(0600, path)", "end"),
    ],
    good: [
      example("app/key.py", "file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), 'w')", "file.write(key)"),
      example("app/key.py", "os.chmod(path, 0o600)"),
      example("src/key.js", "fs.writeFileSync(file, key, { mode: 0o600 });"),
    ],
  },
};
