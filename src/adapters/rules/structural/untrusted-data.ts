// Formats that build objects, and documents that fetch others.
import type { StructuralRule } from "../rule.ts";
import { calls, example, has, node, not, REQUEST, text, withArguments } from "./shapes.ts";

/** Words of values that came from outside the process. */
const OUTSIDE = String.raw`(?i:\b(base64|b64decode|cookie|recv|payload|untrusted|request_body|message\.body|redis\w*\.get|socket)\b)`;

export const UNTRUSTED: readonly StructuralRule[] = [
  {
    id: "unsafe-yaml-load",
    title: "YAML is loaded with arbitrary object types",
    severity: "major",
    category: "security",
    confidence: 0.85,
    why: "A tag in the document (`!!python/object/apply:os.system`, `!ruby/object`) makes the loader build any object, which runs code.",
    fix: "Use the safe loader: `yaml.safe_load`, `YAML.safe_load`, `new Yaml(new SafeConstructor(…))`.",
    onlyWith: /yaml|psych/i,
    match: {
      python: [
        calls.python(
          String.raw`yaml\.(load|load_all)`,
          not(
            withArguments(
              String.raw`(SafeLoader|FullLoader|BaseLoader|Loader\s*=\s*[a-z_]|\*\*|\w*Safe\w*|,\s*\w*Loader\s*\)|Loader\s*=\s*\w*[A-Z]\w+Loader)`,
            ),
          ),
        ),
        calls.python(
          String.raw`yaml\.(load|load_all)`,
          withArguments(String.raw`Loader\s*=\s*(yaml\.)?(Unsafe|C)?Loader\b`),
        ),
        calls.python(String.raw`yaml\.unsafe_load(_all)?`),
      ],
      ruby: calls.ruby("unsafe_load|unsafe_load_file", text(String.raw`^(YAML|Psych)\.`)),
      java: node(
        "object_creation_expression",
        text(String.raw`^new Yaml\(\s*new Constructor\(\s*(Object\.class)?\s*\)`),
      ),
    },
    fixes: [
      {
        from: /^yaml\.(?:unsafe_|full_)?load\(([\s\S]*?)(?:,\s*Loader\s*=\s*[\w.]+)?\)$/,
        to: "yaml.safe_load($1)",
        languages: ["python"],
      },
      { from: /^YAML\.(?:unsafe_load|load)\(/, to: "YAML.safe_load(", languages: ["ruby"] },
    ],
    bad: example("app/settings.py", "settings = yaml.load(stream)"),
    good: example("app/settings.py", "settings = yaml.safe_load(stream)"),
  },
  {
    id: "unsafe-deserialization",
    title: "Objects are deserialized from data that came from outside",
    severity: "major",
    category: "security",
    confidence: 0.7,
    why: "These formats name the classes to build, so a crafted message runs code while it is being read.",
    fix: "Exchange plain data (JSON, Protocol Buffers) and check it against a schema; if the format must stay, verify a signature before reading.",
    onlyWith: /pickle|dill|marshal|torch\.load|ObjectInputStream|unserialize/i,
    match: {
      python: [
        calls.python(
          String.raw`(pickle|cPickle|dill|cloudpickle|jsonpickle|marshal)\.(loads?|decode)`,
          withArguments(`(${REQUEST.python}|${OUTSIDE})`),
        ),
        calls.python(
          String.raw`torch\.load`,
          withArguments(String.raw`weights_only\s*=\s*False`),
          withArguments("(?i)(url|download|request|upload)"),
        ),
      ],
      java: node(
        "object_creation_expression",
        has("type", "^ObjectInputStream$"),
        text(`(getInputStream\\(\\)|Base64|${REQUEST.java}|[sS]ocket|[rR]equest)`),
      ),
      ruby: calls.ruby("load", withArguments(`(${REQUEST.ruby}|Base64|redis|cookies)`), text("^Marshal\\.")),
      php: calls.php(
        "unserialize",
        withArguments(`(${REQUEST.php}|base64_decode|php://input)`),
        not(withArguments("allowed_classes")),
      ),
      ...calls.inScript(String.raw`(serialize|nodeSerialize|serializer)\.unserialize`),
    },
    bad: example("app/session.py", 'session = pickle.loads(base64.b64decode(request.cookies["session"]))'),
    good: example("app/cache.py", 'with open(CACHE, "rb") as file:', "    cache = pickle.load(file)"),
  },
  {
    id: "xml-external-entities",
    title: "XML parser resolves external entities",
    severity: "major",
    category: "security",
    confidence: 0.75,
    why: "A document can then include local files or make the server call internal addresses (XXE), or grow without bound.",
    fix: "Switch entities off: `resolve_entities=False`, `disallow-doctype-decl`, no `LIBXML_NOENT`.",
    onlyWith: /XMLParser|libxml|Nokogiri/i,
    match: {
      python: calls.python(
        String.raw`(lxml\.)?(etree\.)?XMLParser`,
        withArguments(String.raw`(resolve_entities\s*=\s*True|no_network\s*=\s*False)`),
      ),
      php: [
        calls.php("simplexml_load_string|simplexml_load_file", withArguments("LIBXML_(NOENT|DTDLOAD)")),
        node("member_call_expression", has("name", "^(load|loadXML)$"), withArguments("LIBXML_(NOENT|DTDLOAD)")),
        calls.php("libxml_disable_entity_loader", withArguments(String.raw`^\(\s*false`)),
      ],
      ...calls.inScript(
        String.raw`(libxmljs2?|libxml)\.(parseXml|parseXmlString)`,
        withArguments(String.raw`noent:\s*true`),
      ),
      ruby: calls.ruby("parse|XML", text("^Nokogiri\\b"), text(String.raw`(NOENT|\.noent\b|DTDLOAD|\.dtdload\b)`)),
    },
    bad: example("app/feed.py", "parser = etree.XMLParser(resolve_entities=True)"),
    good: example("app/feed.py", "parser = etree.XMLParser(resolve_entities=False)"),
  },
];
