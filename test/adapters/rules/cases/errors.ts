// More cases of rules about errors, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const ERRORS: Cases = {
  "swallowed-error": {
    bad: [
      example("src/save.js", "try { save(order); } catch {", "}"),
      example("app/save.py", "try:", "    save(order)", "except Exception:", "    pass"),
      example("Save.java", "class Save { void run() { try { save(); } catch (Exception e) { } } }"),
      example("save.go", "if err != nil {", "}"),
      example("save.php", "<?php try { save($order); } catch (\\Exception $e) {}"),
      example("lib/save.rb", "begin", "  save(order)", "rescue StandardError => e", "end"),
    ],
    good: [
      example("app/save.py", "try:", "    os.remove(path)", "except FileNotFoundError:", "    pass"),
      example("app/save.py", "try:", "    save(order)", "except Exception:", '    log.exception("order is not saved")'),
      example("Save.java", "class Save { void run() { try { save(); } catch (Exception ignored) { } } }"),
      example("save.go", "if err != nil {", "\treturn err", "}"),
      example("lib/save.rb", "begin", "  save(order)", "rescue StandardError => e", "  logger.warn(e)", "end"),
    ],
  },
  "broad-catch": {
    bad: [
      example("app/worker.py", "while True:", "    try:", "        run(task)", "    except:", "        failed += 1"),
      example("lib/worker.rb", "begin", "  run(task)", "rescue Exception => e", "  report(e)", "end"),
    ],
    good: [
      example("app/worker.py", "try:", "    run(task)", "except:", "    rollback()", "    raise"),
      example("lib/worker.rb", "begin", "  run(task)", "rescue StandardError => e", "  report(e)", "end"),
    ],
  },
};
