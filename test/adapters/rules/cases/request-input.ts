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
  "unfiltered-extraction": {
    bad: [
      example("app/backup.py", "with tarfile.open(upload) as tar:", "    tar.extractall(folder)"),
      example("app/backup.py", "tarfile.open(upload).extractall(folder)"),
      example("app/backup.py", "with tarfile.open(upload) as archive:", "    archive.extractall(folder)"),
      example("app/backup.py", "shutil.unpack_archive(upload, folder)"),
    ],
    good: [
      example("app/backup.py", "with tarfile.open(upload) as tar:", '    tar.extractall(folder, filter="data")'),
      example("app/backup.py", "with zipfile.ZipFile(upload) as archive:", "    archive.extractall(folder)"),
      example("app/backup.py", "tar.extractall(folder, members=checked(tar))"),
    ],
  },
  "archive-entry-path": {
    bad: [
      example("unzip.go", "for _, f := range archive.File {", "\twrite(filepath.Join(folder, f.Name), f)", "}"),
      example("app/unzip.py", "for info in archive.infolist():", "    path = os.path.join(folder, info.filename)"),
      example("src/unzip.js", 'zip.on("entry", (entry) => write(path.join(folder, entry.path), entry));'),
      example("Unzip.java", "ZipEntry entry = in.getNextEntry();", "File file = new File(folder, entry.getName());"),
      example("Unzip.java", "ZipEntry entry = in.getNextEntry();", "Path file = folder.resolve(entry.getName());"),
      example("lib/unzip.rb", "zip.each { |entry| entry.extract(File.join(folder, entry.name)) }"),
    ],
    good: [
      example("unzip.go", "if filepath.IsLocal(f.Name) {", "\twrite(filepath.Join(folder, f.Name), f)", "}"),
      example("src/list.js", "files.map((entry) => path.join(folder, entry.name));"),
      example(
        "Unzip.java",
        "ZipEntry entry = in.getNextEntry();",
        "File file = new File(folder, entry.getName());",
        "if (!file.getCanonicalPath().startsWith(root)) throw new IOException();",
      ),
    ],
  },
  "prototype-pollution": {
    bad: [
      example("src/set.js", "for (const key of keys) target = target[key];", "target[last] = value;"),
      example("src/set.js", "keys.forEach(function (key) {", "  o[key] = o[key] || {};", "  o = o[key];", "});"),
      example(
        "src/merge.ts",
        "function merge(to, from) {",
        "  for (const key in from) {",
        '    if (typeof from[key] === "object") merge(to[key], from[key]);',
        "    else to[key] = from[key];",
        "  }",
        "}",
      ),
    ],
    good: [
      example(
        "src/set.js",
        'if (keys.includes("__proto__")) return;',
        "for (const key of keys) target = target[key];",
        "target[last] = value;",
      ),
      example("src/get.js", "for (const key of keys) o = o[key];"),
      example("src/set.js", "if (!Object.hasOwn(o, key)) return;", "o = o[key];", "o[last] = value;"),
    ],
  },
};
