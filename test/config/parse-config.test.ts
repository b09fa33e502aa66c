import { describe, expect, test } from "vitest";
import { CONFIG_KEYS } from "../../src/config/config-keys.ts";
import { parseConfig } from "../../src/config/parse-config.ts";
import { PRESET_NAMES, presetValues } from "../../src/config/preset.ts";
import { problemLine } from "../../src/config/problems.ts";
import { extendsOf } from "../../src/config/read-config-file.ts";
import { defaultConfig } from "../../src/config/repo-config.ts";

const OWN = ".kodiai.yml";

function read(text: string) {
  return parseConfig([{ file: OWN, text }]);
}

/** Problems as "line:column severity key: message". */
function complaints(text: string): string[] {
  return read(text).problems.map((problem) => {
    expect(problem.file).toBe(OWN);
    return `${problem.line}:${problem.column} ${problem.severity} ${problem.key}: ${problem.message}`;
  });
}

describe("each problem is named with its line, its column and its fix", () => {
  const cases: [what: string, text: string, ...expected: string[]][] = [
    [
      "a misspelt key",
      "version: 1\nreview:\n  profil: quiet\n",
      "3:3 error review.profil: unknown key `profil`; did you mean `profile`?",
    ],
    [
      "a key in the wrong section",
      "profile: quiet\n",
      "1:1 error profile: unknown key `profile`; did you mean `review.profile`?",
    ],
    [
      "a key in kebab-case",
      "path-filters: [a]\n",
      "1:1 error path-filters: unknown key `path-filters`; did you mean `pathFilters`?",
    ],
    [
      "a key that resembles nothing",
      "fileKinds:\n  zebra: 1\n",
      "2:3 error fileKinds.zebra: unknown key `zebra`; known here: `test`, `config`, `docs`, `infra`",
    ],
    [
      "a dotted key",
      "review.drafts: true\n",
      "1:1 error review.drafts: unknown key `review.drafts`; write it nested: `review:` and, indented under it, `drafts:`",
    ],
    [
      "a word that is no choice",
      "review: {profile: balancd}\n",
      "1:19 error review.profile: must be `quiet`, `balanced` or `thorough`; did you mean `balanced`?",
    ],
    [
      "a list of bots that leaves out all and names one",
      "review:\n  bots: [renovate, None]\n",
      "2:9 error review.bots: holds `none`, which leaves out every bot, beside others; write `bots: none`, or remove it",
    ],
    [
      "a misspelt word in a list of bots",
      "review: {bots: [agent]}\n",
      "1:16 error review.bots: holds `agent`; did you mean `agents`? A bot of this name is `agent[bot]`",
    ],
    ["yes for true", "review:\n  drafts: yes\n", "2:11 error review.drafts: must be `true` or `false`"],
    ["a number that is too large", "review:\n  maxComments: 21\n", "2:16 error review.maxComments: must be at most 20"],
    ["a negative number", "review:\n  maxComments: -1\n", "2:16 error review.maxComments: must be at least 0"],
    [
      "a key three levels down, misspelt",
      "knowledge:\n  retrieval:\n    gate:\n      cacheTTLSecond: 60\n",
      "4:7 error knowledge.retrieval.gate.cacheTTLSecond: unknown key `cacheTTLSecond`; did you mean `cacheTTLSeconds`?",
    ],
    [
      "a section within a section, misspelt, whatever is in it",
      "knowledge:\n  retreival:\n    topK: 3\n    methd: hybrid\n",
      "2:3 error knowledge.retreival: unknown key `retreival`; did you mean `retrieval`?",
    ],
    [
      "a name that stands in many sections",
      "enabled: false\n",
      "1:1 error enabled: unknown key `enabled`; did you mean `review.enabled`?",
    ],
    [
      "a number or a word, and neither",
      "knowledge:\n  retrieval:\n    distanceThreshold: near\n",
      "3:24 error knowledge.retrieval.distanceThreshold: must be `auto` or a number, 0–2",
    ],
    [
      "a number that is none",
      "knowledge: {retrieval: {weights: {semantic: much}}}\n",
      "1:45 error knowledge.retrieval.weights.semantic: must be a number",
    ],
    [
      "a whole number that is none",
      "knowledge: {retrieval: {topK: many}}\n",
      "1:31 error knowledge.retrieval.topK: must be a whole number",
    ],
    ["a fraction", "review:\n  maxComments: 2.5\n", "2:16 error review.maxComments: must be a whole number"],
    [
      "a text for a list",
      "pathFilters: src/**\n",
      "1:14 error pathFilters: must be a list: one value a line, each after `- `",
    ],
    ["a text for a section", "review: on\n", "1:9 error review: must be a mapping: lines of `key: value`, indented"],
    [
      "a number in a list of texts",
      "review:\n  labels:\n    - bug\n    - 7\n",
      "4:7 error review.labels[1]: must be text; put numbers and words such as `true` in quotes",
    ],
    ["an empty text", 'review:\n  labels: [""]\n', "2:12 error review.labels[0]: must not be empty"],
    [
      "a text that is too long",
      `pathFilters:\n  - ${"a".repeat(501)}\n`,
      "2:5 error pathFilters[0]: must have at most 500 characters",
    ],
    [
      "a list that is too long",
      `pathFilters:\n${"  - a\n".repeat(203)}`,
      "202:5 error pathFilters: must have at most 200 items; the rest is left out",
    ],
    ["another version", "version: 2\n", "1:10 error version: must be `1`"],
    [
      "a rule's setting of another tool",
      "rules:\n  weak-hash: high\n",
      "2:14 error rules.weak-hash: must be `off`, `critical`, `major`, `medium` or `minor`",
    ],
    [
      "a suppression whose pattern cannot be read",
      "review:\n  suppress:\n    - pattern: 'regex:['\n",
      "3:16 error review.suppress[0].pattern: is not a regular expression of RE2: missing closing ]: `[`; the whole item is left out",
    ],
    [
      "a suppression without a pattern",
      "review:\n  suppress:\n    - paths: ['docs/**']\n",
      "3:7 error review.suppress[0]: lacks `pattern`, which is required; add it",
    ],
    [
      "a suppression of what is never suppressed",
      "review:\n  suppress:\n    - {pattern: sql, categories: [security]}\n",
      "3:35 error review.suppress[0].categories[0]: must be `correctness`, `performance`, `reliability`, `maintainability`, `tests`, `docs` or `style`; the whole item is left out",
    ],
    [
      "a custom rule without what it needs",
      "customRules:\n  - id: no-sleep\n    language: python\n    message: No sleep\n",
      "2:5 error customRules[0]: lacks `rule`, which is required; add it",
    ],
    [
      "a custom rule's name in capitals",
      "customRules:\n  - id: NoSleep\n    language: python\n    message: No sleep\n    rule: {pattern: sleep($A)}\n",
      "2:9 error customRules[0].id: must be kebab-case: lower-case letters, digits and single hyphens",
    ],
    [
      "a glob that YAML takes for an alias",
      "pathFilters:\n  - *.md\n",
      "2:5 error pathFilters[0]: `*` begins an alias, and nothing above is called `.md`; put globs in quotes",
    ],
    [
      "a glob that YAML takes for a tag",
      "pathFilters:\n  - !dist/**\n",
      "2:13 error pathFilters[0]: `!dist/**` is read as a YAML tag; put text that begins with `!` in quotes, and write plain values without tags",
    ],
    [
      "a tag that would be code elsewhere",
      'pathFilters: !!js/function "function () {}"\n',
      "1:28 error pathFilters: `!!js/function` is read as a YAML tag; put text that begins with `!` in quotes, and write plain values without tags",
    ],
    [
      "a key that is set twice",
      "review:\n  drafts: true\n  drafts: false\n",
      "3:3 error review.drafts: `drafts` is already set on line 2, which counts; remove one of the two",
    ],
    [
      "a merge key",
      "review: &a {drafts: true}\nfileKinds:\n  <<: *a\n",
      "3:3 error fileKinds.<<: merge keys (`<<`) are not read; write the keys out",
    ],
    [
      "keys of Object.prototype",
      "rules:\n  __proto__: off\n  constructor: off\n",
      "2:3 error rules.__proto__: `__proto__` cannot be a key; remove it",
      "3:3 error rules.constructor: `constructor` cannot be a key; remove it",
    ],
    ["a list as a key", "? [a, b]\n: 1\n", "1:3 error : a key must be a plain word"],
    ["an empty key", ": 1\n", "1:1 error : a key is empty; write a word before the `:`"],
    [
      "_extends with an owner",
      "_extends: acme/settings\n",
      "1:11 error _extends: must be the bare name of a repository of the same owner: no owner, slash, path or URL",
    ],
    [
      "_extends with an address",
      "version: 1\n_extends: https://evil.example/x.yml\n",
      "2:11 error _extends: must be the bare name of a repository of the same owner: no owner, slash, path or URL",
    ],
    [
      "a tab",
      "review:\n\tdrafts: true\n",
      "2:1 error : not valid YAML, so the whole file is ignored: tab used for indentation; indent with spaces",
    ],
    [
      "two keys on one line",
      "review: profile: quiet\n",
      "1:9 error : not valid YAML, so the whole file is ignored: two `key: value` are on one line; put text that holds `: ` in quotes",
    ],
    [
      "an open bracket",
      "pathFilters: [a,\nversion: 1\n",
      "2:1 error : not valid YAML, so the whole file is ignored: a `[` or `{` is not closed, or what follows it is not indented",
    ],
    [
      "more than one document",
      "version: 1\n---\nversion: 1\n",
      "2:1 error : not valid YAML, so the whole file is ignored: it holds more than one document; remove everything from the second `---` on",
    ],
    ["a list as the file", "- review\n", "1:1 error : the file must be a mapping: lines of `key: value`"],
    [
      "a file that is too large",
      `# ${"é".repeat(131_072)}\n`,
      "null:null error : the file is larger than 256 KiB and was not read; shorten it",
    ],
    [
      "values nested too deeply",
      `customRules: ${"[".repeat(40)}${"]".repeat(40)}\n`,
      "1:46 error : the file is nested deeper than 32 levels and was not read",
    ],
    [
      "a directive",
      "%TAG ! tag:example.com,2026:\n---\nversion: 1\n",
      "1:1 notice : lines that begin with `%` are not read; remove them",
    ],
  ];
  test.each(cases)("%s", (_, text, ...expected) => {
    expect(complaints(text)).toEqual(expected);
  });
});

describe("words of other review tools", () => {
  test("are pointed to ours where they are near, and what is below them is left out", () => {
    const text = ["reviews:", "  profile: chill", "  path_filters: ['!dist/**']"].join("\n");
    expect(complaints(text)).toEqual(["1:1 error reviews: unknown key `reviews`; did you mean `review`?"]);
    expect(read(text).config).toEqual(defaultConfig());
  });

  test.each([
    ["ignore_title_keywords", "review.ignoreTitleKeywords"],
    ["base_branches", "review.baseBranches"],
    ["extends", "_extends"],
  ])("%s is %s here", (theirs, ours) => {
    expect(read(`${theirs}: x`).problems.map((problem) => problem.message)).toEqual([
      `unknown key \`${theirs}\`; did you mean \`${ours}\`?`,
    ]);
  });

  test("chill and assertive are taken as quiet and thorough, with a notice", () => {
    expect(read("review: {profile: chill}").config.review.profile).toBe("quiet");
    expect(read("review: {profile: Assertive}").config.review.profile).toBe("thorough");
    expect(complaints("review: {profile: chill}")).toEqual(["1:19 notice review.profile: `chill` is read as `quiet`"]);
  });

  test("our keys in snake_case are accepted, with a notice; the camelCase one counts if both are set", () => {
    const { config } = read("path_filters: [src/**]\nreview:\n  max_comments: 3\n");
    expect([config.pathFilters, config.review.maxComments]).toEqual([["src/**"], 3]);
    const capitals = read("knowledge: {retrieval: {top_k: 3, gate: {cache_ttl_seconds: 60}}}").config.knowledge
      .retrieval;
    expect([capitals.topK, capitals.gate.cacheTTLSeconds]).toEqual([3, 60]);
    const both = "review:\n  max_comments: 3\n  maxComments: 4\n";
    expect(read(both).config.review.maxComments).toBe(4);
    expect(complaints(both)).toEqual([
      "2:3 error review.max_comments: `maxComments` is set as well and counts; remove `max_comments`",
    ]);
  });
});

describe("a wrong value falls back and its neighbours stay", () => {
  test("field by field", () => {
    const { config } = read(
      "review:\n  profile: loud\n  maxComments: 3\n  drafts: 1\nversion: 9\nrules: {a-b: off, c-d: 7}\n",
    );
    expect(config).toEqual({
      ...defaultConfig(),
      review: { ...defaultConfig().review, maxComments: 3 },
      rules: { "a-b": "off" },
    });
  });

  test("a bad item leaves its list, the others stay in order", () => {
    expect(read("pathFilters: [a, 1, b, '', [c], null, d]").config.pathFilters).toEqual(["a", "b", "d"]);
  });

  test("a list that is too long keeps its first 200 items", () => {
    const text = `pathFilters:\n${Array.from({ length: 250 }, (_, index) => `  - p${index}\n`).join("")}`;
    const { pathFilters } = read(text).config;
    expect([pathFilters.length, pathFilters[199]]).toEqual([200, "p199"]);
  });

  test("a custom rule with a wrong severity gets the default one, one without a pattern is left out", () => {
    const text = [
      "customRules:",
      "  - {id: a, language: go, message: M, severity: huge, rule: {pattern: f()}}",
      "  - {id: b, language: go, message: M}",
      "  - {id: c, language: cobol, message: M, rule: {pattern: f()}}",
    ].join("\n");
    expect(read(text).config.customRules).toEqual([
      { id: "a", language: "go", message: "M", severity: "medium", rule: { pattern: "f()" } },
    ]);
  });

  test("a key with nothing after it says nothing", () => {
    expect(read("review:\n  profile:\n  # drafts: true\npathFilters:\n")).toMatchObject({
      config: defaultConfig(),
      problems: [],
    });
  });

  test("an empty file, a file of comments and no file at all give the defaults without a problem", () => {
    for (const text of ["", "\n\n", "# nothing yet\n", "---\n", "null", "\uFEFF"]) {
      expect(read(text)).toMatchObject({ config: defaultConfig(), problems: [] });
    }
    expect(parseConfig([])).toMatchObject({ config: defaultConfig(), problems: [] });
  });

  test("anchors may be used, and carry plain values", () => {
    const { config, problems } = read("fileKinds:\n  test: &mine ['qa/**']\n  docs: *mine\n");
    expect([config.fileKinds.test, config.fileKinds.docs, problems]).toEqual([["qa/**"], ["qa/**"], []]);
  });
});

test("every key is read: its example is accepted without a problem and changes the configuration", () => {
  const keys = CONFIG_KEYS.filter(({ path }) => !path.includes("[]"));
  expect(keys.length).toBeGreaterThan(15);
  for (const { path, example } of keys) {
    const nested = path.split(".").reduceRight<unknown>((value, key) => ({ [key]: value }), example);
    const { config, problems } = read(JSON.stringify(nested));
    expect(problems, path).toEqual([]);
    const isSilent = path === "version" || path === "_extends";
    if (!isSilent) expect(config, path).not.toEqual(defaultConfig());
  }
});

describe("several files", () => {
  const sources = [
    {
      file: "acme/.github/.kodiai.yml",
      text: "review: {profile: quiet, drafts: true, labels: [bug]}\nrules: {weak-hash: off, leaked-key: critical}\n",
    },
    { file: OWN, text: "review: {drafts: false, labels: [ready]}\nrules: {weak-hash: minor}\n" },
  ];

  test("mappings merge key by key and rule by rule, lists are replaced, the stronger file wins", () => {
    const { config } = parseConfig(sources);
    expect(config.review).toEqual({ ...defaultConfig().review, profile: "quiet", drafts: false, labels: ["ready"] });
    expect(config.rules).toEqual({ "weak-hash": "minor", "leaked-key": "critical" });
  });

  test("each key names the source of its value", () => {
    const { origins } = parseConfig(sources);
    const reported = ["review.profile", "review.drafts", "review.maxComments", "rules.leaked-key", "rules.weak-hash"];
    expect(reported.map((key) => origins.get(key))).toEqual([
      "acme/.github/.kodiai.yml",
      OWN,
      "default",
      "acme/.github/.kodiai.yml",
      OWN,
    ]);
  });

  test("a preset is weaker than every file, also than the organisation's, and the strongest file names it", () => {
    const { config, origins, problems } = parseConfig([
      { file: "acme/.github/.kodiai.yml", text: "preset: thorough\nreview: {maxComments: 7}\n" },
      { file: OWN, text: "preset: quiet\nreview: {debounceSeconds: 5}\n" },
    ]);
    expect(problems).toEqual([]);
    const { profile, maxComments, debounceSeconds } = config.review;
    expect({ profile, maxComments, debounceSeconds, topK: config.knowledge.retrieval.topK }).toEqual({
      ...{ profile: "quiet", maxComments: 7, debounceSeconds: 5 },
      topK: defaultConfig().knowledge.retrieval.topK,
    });
    const reported = ["preset", "review.profile", "review.maxComments", "review.debounceSeconds"];
    expect(reported.map((key) => origins.get(key))).toEqual([OWN, "preset quiet", "acme/.github/.kodiai.yml", OWN]);
  });

  test.each(PRESET_NAMES)("what the preset %s sets is what the schema takes, and balanced sets nothing", (preset) => {
    const { config, problems } = parseConfig([{ file: OWN, text: `preset: ${preset}` }]);
    expect(problems).toEqual([]);
    const values = presetValues(preset);
    const valueAt = (key: string) =>
      key.split(".").reduce<unknown>((node, part) => (node as Record<string, unknown>)[part], config);
    for (const { key, value } of values) expect(valueAt(key), key).toEqual(value);
    expect(values.length === 0).toBe(preset === "balanced");
  });

  test("a preset that does not exist is a problem, and the defaults apply", () => {
    const { config, problems } = parseConfig([{ file: OWN, text: "preset: silent" }]);
    expect(problems).toMatchObject([{ key: "preset", line: 1, column: 9, severity: "error" }]);
    expect(config).toEqual(defaultConfig());
  });

  test("a wrong value leaves the weaker file's value in place", () => {
    const { config, origins } = parseConfig([sources[0]!, { file: OWN, text: "review: {profile: loud}" }]);
    expect([config.review.profile, origins.get("review.profile")]).toEqual(["quiet", "acme/.github/.kodiai.yml"]);
  });

  test("custom rules are replaced as a list", () => {
    const rule = (id: string) => `customRules: [{id: ${id}, language: go, message: M, rule: {kind: k}}]`;
    const { config } = parseConfig([
      { file: "a", text: rule("first") },
      { file: "b", text: rule("second") },
    ]);
    expect(config.customRules.map(({ id }) => id)).toEqual(["second"]);
  });

  test("problems name their file, the repository's own first", () => {
    const { problems } = parseConfig([
      { file: "acme/.github/.kodiai.yml", text: "version: 3" },
      { file: OWN, text: "version: 4" },
    ]);
    expect(problems.map(problemLine)).toEqual([
      ".kodiai.yml:1:10: error: version: must be `1`",
      "acme/.github/.kodiai.yml:1:10: error: version: must be `1`",
    ]);
  });

  test("_extends is followed from the strongest file only", () => {
    expect(extendsOf("_extends: review-settings\nreview: {profile: loud}\n")).toBe("review-settings");
    expect(extendsOf("_extends: .github")).toBe(".github");
    for (const text of ["", "version: 1", "_extends: a/b", "_extends: ..", "_extends: 3", "_extends: [", "_extends:"]) {
      expect(extendsOf(text), text).toBeNull();
    }
    const { config, problems } = parseConfig([
      { file: "acme/settings/.kodiai.yml", text: "_extends: more" },
      { file: OWN, text: "_extends: settings" },
    ]);
    expect(config).toEqual(defaultConfig());
    expect(problems.map(problemLine)).toEqual([
      "acme/settings/.kodiai.yml:1:11: notice: _extends: is followed in the repository's own file only, one step; here it does nothing",
    ]);
  });
});

describe("with the rules known", () => {
  const known = { ruleIds: new Set(["weak-hash", "debug-leftover"]) };

  test("an unknown rule is named with the nearest one and left out; custom rules may be set as well", () => {
    const text = [
      "rules: {debug-leftovers: off, weak-hash: off, no-sleep: minor, zebra: off}",
      "customRules: [{id: no-sleep, language: go, message: M, rule: {kind: k}}]",
    ].join("\n");
    const { config, problems } = parseConfig([{ file: OWN, text }], known);
    expect(problems.map(problemLine)).toEqual([
      ".kodiai.yml:1:9: notice: rules.debug-leftovers: there is no rule `debug-leftovers`; did you mean `debug-leftover`?",
      ".kodiai.yml:1:64: notice: rules.zebra: there is no rule `zebra`; it may have been removed; docs/rules.md lists the rules",
    ]);
    expect(config.rules).toEqual({ "weak-hash": "off", "no-sleep": "minor" });
  });

  test("a custom rule whose id is taken, or that cannot run, is named and left out", () => {
    const text = [
      "customRules:",
      "  - {id: weak-hash, language: go, message: M, rule: {kind: k}}",
      "  - {id: mine, language: go, message: M, rule: {kind: k}}",
      "  - {id: mine, language: go, message: M, rule: {kind: k}}",
      "  - {id: broken, language: go, message: M, rule: {pattern: '((('}}",
    ].join("\n");
    const customRuleProblems = () => [{ id: "broken", message: "pattern does not parse" }];
    const { config, problems } = parseConfig([{ file: OWN, text }], { ...known, customRuleProblems });
    expect(problems.map(problemLine)).toEqual([
      ".kodiai.yml:2:10: error: customRules.weak-hash: another rule is called `weak-hash`; choose another id",
      ".kodiai.yml:4:10: error: customRules.mine: another rule is called `mine`; choose another id",
      ".kodiai.yml:5:50: error: customRules.broken: pattern does not parse",
    ]);
    expect(config.customRules.map(({ id }) => id)).toEqual(["mine"]);
  });
});

test("at most 50 problems are listed, and a last line counts the rest", () => {
  const { problems } = read(Array.from({ length: 1_300 }, (_, index) => `zebra${index}: 1`).join("\n"));
  expect(problems.length).toBe(51);
  expect(problems.at(-1)).toEqual({
    file: OWN,
    key: "",
    line: null,
    column: null,
    severity: "error",
    message: "and 1,250 more",
  });
});

test("a quoted key cannot break out of its line or its backticks", () => {
  const [problem] = read('"x` @acme/team\\n# big\\u202E": 1').problems;
  expect(problem?.message).toMatch(/^unknown key `x\? @acme\/team\?# big\?`; known here: /);
});

test("a suppression that lost one of its conditions is left out: it would hold back more than was asked for", () => {
  const wrong = [
    "{pattern: leak, path: ['docs/**']}",
    "{pattern: leak, paths: }",
    "{pattern: leak, paths: [7]}",
    "{pattern: leak, paths: docs/**}",
    "{pattern: leak, severities: [blocker]}",
    "{pattern: leak, categories: [security]}",
  ];
  for (const item of wrong) {
    const { config, problems } = read(`review:\n  suppress:\n    - ${item}\n    - {pattern: kept, paths: ['a/**']}\n`);
    expect(config.review.suppress.map(({ pattern, paths }) => [pattern, ...paths])).toEqual([["kept", "a/**"]]);
    expect(problems.length, item).toBeGreaterThan(0);
  }
});
