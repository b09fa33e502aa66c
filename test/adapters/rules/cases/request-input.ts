// More cases of rules about request input, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const REQUEST_INPUT: Cases = {
  "path-traversal": {
    bad: [
      example("src/files.js", "fs.readFile(req.query.file, (error, body) => res.end(body));"),
      example("app/files.py", 'return send_file(os.path.join(UPLOADS, request.args["name"]))'),
      example("files.go", 'f, err := os.Open(filepath.Join(uploads, r.URL.Query().Get("name")))'),
      example("Files.java", 'File file = new File(uploads, request.getParameter("name"));'),
      example("app/controllers/files_controller.rb", 'send_file Rails.root.join("uploads", params[:name])'),
      example("files.php", '<?php include "pages/" . $_GET["page"];', 'readfile($_GET["file"]);'),
    ],
    good: [
      example("src/files.js", 'fs.readFile(path.join(ROOT, "index.html"), done);'),
      example("app/files.py", "return send_file(os.path.join(UPLOADS, secure_filename(request.args['name'])))"),
      example("files.go", 'f, err := os.Open(filepath.Join(uploads, filepath.Base(r.URL.Query().Get("name"))))'),
      example("app/controllers/files_controller.rb", "send_file upload.path"),
      example("files.php", '<?php include "pages/" . basename($_GET["page"]);'),
    ],
  },
  "open-redirect": {
    bad: [
      example("app/login.py", 'return redirect(request.args.get("next"))'),
      example("login.go", 'http.Redirect(w, r, r.FormValue("next"), http.StatusFound)'),
      example("Login.java", 'response.sendRedirect(request.getParameter("next"));'),
      example("app/controllers/login_controller.rb", "redirect_to params[:next]"),
      example("login.php", '<?php header("Location: " . $_GET["next"]);'),
    ],
    good: [
      example("app/login.py", 'return redirect(url_for("account"))'),
      example("login.go", 'http.Redirect(w, r, "/account", http.StatusFound)'),
      example("app/controllers/login_controller.rb", "redirect_to account_path(params[:id])"),
    ],
  },
  "request-chosen-url": {
    bad: [
      example("src/preview.js", "const page = await axios.get(req.body.url);"),
      example("app/preview.py", 'page = requests.get(request.args["url"], timeout=5)'),
      example("preview.go", 'resp, err := http.Get(r.FormValue("url"))'),
      example("app/controllers/preview_controller.rb", "page = Net::HTTP.get(URI(params[:url]))"),
      example("preview.php", '<?php $page = file_get_contents($_GET["url"]);'),
    ],
    good: [
      example("app/preview.py", 'page = requests.get(PREVIEW_URL, params={"id": request.args["id"]}, timeout=5)'),
      example("preview.go", "resp, err := client.Get(previewURL)"),
    ],
  },
};
