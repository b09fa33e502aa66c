// More cases of rules about request control, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const REQUEST_CONTROL: Cases = {
  "regex-from-request": {
    bad: [
      example("app/search.py", 'pattern = re.compile(request.args["q"])'),
      example("app/controllers/search_controller.rb", "pattern = Regexp.new(params[:q])"),
      example("Search.java", 'class Search { void run() { Pattern p = Pattern.compile(request.getParameter("q")); } }'),
    ],
    good: [example("app/search.py", 'pattern = re.compile(re.escape(request.args["q"]))')],
  },
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
  "mass-assignment": {
    bad: [
      example("app/users.py", "user = User(**request.json)"),
      example("app/controllers/users_controller.rb", "user.update(params.require(:user).permit!)"),
      example("users.php", "<?php extract($_POST);"),
    ],
    good: [
      example("app/users.py", 'user = User(name=request.json["name"])'),
      example("app/controllers/users_controller.rb", "user.update(params.require(:user).permit(:name))"),
    ],
  },
};
