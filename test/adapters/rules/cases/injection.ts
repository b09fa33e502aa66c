// Cases of rules about injection, by rule.
import { type Cases, example } from "../rule-cases.ts";

export const INJECTION: Cases = {
  "sql-from-strings": {
    bad: [
      example("src/users.ts", `const rows = await db.query(\`SELECT * FROM users WHERE name = '\${name}'\`);`),
      example("src/users.js", 'db.query("DELETE FROM users WHERE id = " + req.params.id, done);'),
      example("app/users.py", "cursor.execute(f\"SELECT id FROM users WHERE email = '{email}'\")"),
      example("app/users.py", "cursor.execute(\"UPDATE users SET name = '%s' WHERE id = 7\" % name)"),
      example("app/users.py", 'cursor.execute("SELECT id FROM users WHERE email = {}".format(email))'),
      example("users.go", "rows, err := db.Query(fmt.Sprintf(\"SELECT id FROM users WHERE name = '%s'\", name))"),
      example("Users.java", 'statement.executeQuery("SELECT id FROM users WHERE name = \'" + name + "\'");'),
      example(
        "app/models/user.rb",
        "User.where(\"name = 'a'\")",
        "connection.execute(\"SELECT 1 FROM users WHERE name = '#{name}'\")",
      ),
      example("src/users.rs", "let query = format!(\"SELECT id FROM users WHERE name = '{}'\", name);"),
      example("users.php", "<?php $db->query(\"SELECT id FROM users WHERE name = '$name'\");"),
      example("users.php", '<?php $db->query("SELECT id FROM users WHERE id = " . $id);'),
    ],
    good: [
      example("src/users.ts", 'await db.query("SELECT * FROM users WHERE name = $1", [name]);'),
      example("src/users.ts", `const rows = await sql\`SELECT * FROM users WHERE name = \${name}\`;`),
      example("src/users.ts", `await db.query(\`SELECT \${COLUMNS} FROM users WHERE id IN (\${marks})\`, ids);`),
      example("app/users.py", 'cursor.execute("SELECT id FROM users WHERE email = %s", (email,))'),
      example("users.go", 'rows, err := db.Query("SELECT id FROM users WHERE name = $1", name)'),
      example("Users.java", 'connection.prepareStatement("SELECT id FROM " + TABLE + " WHERE name = ?");'),
      example("app/models/user.rb", 'User.where("name = ?", name)'),
      example("users.php", '<?php $db->prepare("SELECT id FROM users WHERE id = :id");'),
    ],
  },
  "shell-from-strings": {
    bad: [
      example("src/thumbnail.ts", `execSync(\`convert \${upload.path} -resize 200x200 thumb.png\`);`),
      example("src/log.js", 'child_process.exec("git log " + branch, callback);'),
      example("app/backup.py", 'subprocess.run(f"tar czf backup.tgz {folder}", shell=True)'),
      example("app/backup.py", 'os.system("rm -rf " + folder)'),
      example("backup.go", 'cmd := exec.Command("sh", "-c", fmt.Sprintf("tar czf backup.tgz %s", folder))'),
      example("Backup.java", 'Runtime.getRuntime().exec("tar czf backup.tgz " + folder);'),
      example("lib/backup.rb", 'system("tar czf backup.tgz #{folder}")', "log = `git log #{branch}`"),
      example("backup.php", '<?php exec("tar czf backup.tgz $folder");'),
      example("src/backup.rs", 'Command::new("sh").arg("-c").arg(format!("tar czf backup.tgz {}", folder)).status()?;'),
    ],
    good: [
      example("src/thumbnail.ts", 'execFileSync("convert", [upload.path, "-resize", "200x200", "thumb.png"]);'),
      example("src/parse.ts", `const found = pattern.exec(\`\${prefix}:\${name}\`);`),
      example("app/backup.py", 'subprocess.run(["tar", "czf", "backup.tgz", folder], check=True)'),
      example("app/backup.py", 'subprocess.run(f"tar czf backup.tgz {shlex.quote(folder)}", shell=True)'),
      example("backup.go", 'cmd := exec.Command("tar", "czf", "backup.tgz", folder)'),
      example("lib/backup.rb", 'system("tar", "czf", "backup.tgz", folder)'),
      example("backup.php", '<?php exec("tar czf backup.tgz " . escapeshellarg($folder));'),
    ],
  },
  "eval-of-input": {
    bad: [
      example("src/calculator.ts", "const result = eval(formula);"),
      example("src/calculator.js", 'const run = new Function("x", body);'),
      example("app/calculator.py", "result = eval(expression)"),
      example("app/calculator.py", 'exec(request.form["code"])'),
      example("lib/calculator.rb", "eval(params[:formula])"),
      example("calculator.php", "<?php eval($formula);"),
    ],
    good: [
      example("src/calculator.ts", "const result = JSON.parse(formula);"),
      example("app/train.py", "model.eval()", 'frame.eval("a + b")'),
      example("app/calculator.py", "result = ast.literal_eval(expression)"),
      example("lib/calculator.rb", "redis.eval(script, keys)"),
    ],
  },
};
