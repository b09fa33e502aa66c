// More cases of rules about request control, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const REQUEST_CONTROL: Cases = {
  "dispatch-from-request": {
    bad: [
      example("app/actions.py", 'getattr(account, request.args["action"])()'),
      example("app/controllers/actions_controller.rb", "account.send(params[:action_name])"),
      example("actions.php", '<?php $_GET["action"]();'),
    ],
    good: [
      example("app/actions.py", 'getattr(account, "close")()'),
      example("app/controllers/actions_controller.rb", "account.send(:close)"),
    ],
  },
};
