// More cases of rules about exposure, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const EXPOSURE: Cases = {
  "world-writable": {
    bad: [
      example("app/setup.py", "os.chmod(socket, 0o777)"),
      example("setup.go", "err := os.Chmod(socket, 0777)"),
      example("setup.php", "<?php chmod($socket, 0777);"),
      example("lib/setup.rb", "File.chmod(0777, socket)"),
      example("src/setup.rs", "fs::set_permissions(path, Permissions::from_mode(0o777))?;"),
    ],
    good: [example("app/setup.py", "os.chmod(key, 0o600)"), example("setup.go", "err := os.Chmod(script, 0755)")],
  },
  "insecure-temp-file": {
    bad: [
      example("report.php", '<?php file_put_contents(sys_get_temp_dir() . "/report.csv", $rows);'),
      example("lib/report.rb", 'File.write("/tmp/report-#{Process.pid}.csv", rows)'),
    ],
    good: [example("report.php", '<?php file_put_contents(tempnam(sys_get_temp_dir(), "report"), $rows);')],
  },
};
