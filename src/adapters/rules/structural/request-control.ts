// What a client sent decides which code runs or which fields change.
import type { StructuralRule } from "../rule.ts";
import { calls, example, has, REQUEST, script, text, withArguments } from "./shapes.ts";

export const REQUEST_CONTROL: readonly StructuralRule[] = [
  {
    id: "regex-from-request",
    title: "Regular expression comes straight from the request",
    severity: "medium",
    category: "security",
    confidence: 0.8,
    why: "A short pattern can keep a backtracking engine busy for minutes, which stops the server for everyone.",
    fix: "Search for the text itself, escape it, or use an engine that runs in linear time (RE2).",
    onlyWith: /RegExp|\bre\.|Regexp|Pattern\./,
    match: {
      ...script({
        all: [
          {
            any: [{ kind: "new_expression", has: { field: "constructor", regex: "^RegExp$" } }, calls.script("RegExp")],
          },
          withArguments(`^\\(\\s*(${REQUEST.script})`),
        ],
      }),
      python: calls.python(
        String.raw`re\.(compile|search|match|fullmatch|findall|sub)`,
        withArguments(`^\\(\\s*(${REQUEST.python})`),
      ),
      ruby: calls.ruby("new", withArguments(`^\\(?\\s*(${REQUEST.ruby})`), text("^Regexp\\.")),
      java: calls.java("compile|matches", withArguments(`^\\(\\s*(${REQUEST.java})`), text("^Pattern\\.")),
    },
    bad: example("src/search.ts", 'const pattern = new RegExp(req.query.q, "i");'),
    good: example("src/search.ts", 'const pattern = new RegExp(escapeRegExp(req.query.q), "i");'),
  },
  {
    id: "dispatch-from-request",
    title: "The request names the method that is called",
    severity: "major",
    category: "security",
    confidence: 0.8,
    why: "A client can reach every method of the object, not only those meant for it (`system`, `destroy`, `constructor`).",
    fix: "Look the name up in a list of allowed operations first.",
    onlyWith: /getattr|send|constantize|const_get|\$_|call_user_func|\[\s*(req|request|ctx|context)\b/,
    match: {
      ...script({
        kind: "call_expression",
        has: { field: "function", kind: "subscript_expression", has: { field: "index", regex: REQUEST.script } },
      }),
      python: calls.python("getattr", withArguments(`^\\([^,]*,\\s*(${REQUEST.python})`)),
      ruby: [
        calls.ruby("send|public_send|__send__|constantize|const_get", withArguments(`^\\(?\\s*(${REQUEST.ruby})`)),
        calls.ruby("constantize|safe_constantize", has("receiver", REQUEST.ruby)),
      ],
      php: [
        { kind: "function_call_expression", has: { field: "function", regex: `^(${REQUEST.php})` } },
        calls.php("call_user_func|call_user_func_array", withArguments(`^\\(\\s*(${REQUEST.php})`)),
      ],
    },
    bad: example("src/actions.js", "actions[req.params.action](req.body);"),
    good: example("src/actions.js", "const action = ACTIONS.get(req.params.action);", "if (action) action(req.body);"),
  },
  {
    id: "mass-assignment",
    title: "Every field of the request is assigned",
    severity: "medium",
    category: "security",
    confidence: 0.75,
    why: "A client can set fields that no form offers, such as `admin`, `ownerId` or `balance`.",
    fix: "Name the fields that may be set, and copy only those.",
    onlyWith: /Object\.assign|_\.(assign|merge|extend)|\*\*request|permit!|extract\(/,
    match: {
      ...calls.inScript(
        String.raw`Object\.assign|_\.(assign|merge|extend)`,
        withArguments(
          String.raw`^\(\s*(\w*[uU]ser|\w*[aA]ccount|doc|document|record|entity|model|this)\b[^)]*,\s*(req|request|ctx\.request)\.body\s*\)$`,
        ),
      ),
      python: calls.python(
        String.raw`[A-Z]\w+(\.objects\.(create|update))?`,
        withArguments(String.raw`^\(\s*\*\*(request\.(json|form|data|POST|get_json\(\)|form\.to_dict\(\)))`),
      ),
      ruby: calls.ruby("permit!", text("params")),
      php: calls.php("extract", withArguments(String.raw`^\(\s*\$_(GET|POST|REQUEST|COOKIE)`)),
    },
    bad: example("src/users.ts", "Object.assign(user, req.body);"),
    good: example("src/users.ts", "Object.assign(user, { name: req.body.name });"),
  },
];
