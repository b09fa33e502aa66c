// The walls of the house. Each message tells what to do instead.
const ROOMS = "receive|gather|analyze|vet|retrieve|context|review|publish|learn";

/** Pure libraries that a room or a noun may use, each with its reason. */
const PURE = [
  "zod", // schemas: the config schema and the shape of a delivery
  "yaml", // .kodiai.yml with the line and column of each problem
  "conventional-commits-parser", // the reference grammar of titles
  "diff", // the unified-diff parser
  "semver", // the step of a dependency bump
  "@renovatebot/pep440", // Python's order of versions
  "@renovatebot/ruby-semver", // Ruby's
  "p-map", // a few questions at once
  "brace-expansion", // the braces of globs
  "leven", // "did you mean"
  "lru-cache", // what was read before, bounded
  "re2js", // patterns that users write run in linear time
].join("|");

export default {
  forbidden: [
    {
      name: "no-cycles",
      comment: "A cycle has no first page to read. Move what both need into the noun they share.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "everything-resolves",
      comment: "An import that cannot be resolved escapes every other rule. Fix the path or install the package.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "domain-imports-nothing",
      comment: "Nouns stand in the middle: they know each other and the configuration, and nothing else.",
      severity: "error",
      from: { path: "^src/domain/" },
      to: { pathNot: ["^src/domain/", "^src/config/repo-config[.]ts$", "^(node:)?crypto$"] },
    },
    {
      name: "ports-know-only-nouns",
      comment: "A port is said in nouns and in terms of other ports, so that any adapter can fit it.",
      severity: "error",
      from: { path: "^src/ports(/|[.]ts$)" },
      to: { pathNot: ["^src/domain/", "^src/config/", "^src/ports(/|[.]ts$)"] },
    },
    {
      name: "rooms-do-not-visit-rooms",
      comment: "A room hands on a value; the corridor carries it. What two rooms share is a noun in domain/.",
      severity: "error",
      from: { path: `^src/(${ROOMS})/` },
      to: { path: `^src/(${ROOMS})/`, pathNot: "^src/$1/" },
    },
    {
      name: "one-door-per-room",
      comment: "Enter a room by its door, src/ROOM/ROOM.ts.",
      severity: "error",
      from: { path: "^src/", pathNot: `^src/(${ROOMS})/` },
      to: { path: `^src/(${ROOMS})/`, pathNot: "^src/([^/]+)/\\1[.]ts$" },
    },
    {
      name: "only-doors-hold-keys",
      comment: "Only the door of a room knows ports, even as a type; behind it everything is pure.",
      severity: "error",
      from: { path: `^src/(${ROOMS})/`, pathNot: "^src/([^/]+)/\\1[.]ts$" },
      to: { path: "^src/ports(/|[.]ts$)" },
    },
    {
      name: "rooms-are-indoors",
      comment:
        "Rooms, nouns, ports and configuration use pure libraries only (see the list). Put the outside world behind a port.",
      severity: "error",
      from: { path: `^src/(${ROOMS}|domain|config)/|^src/ports(/|[.]ts$)` },
      to: { pathNot: ["^src/", `^node_modules/(${PURE})/`, "^(node:)?crypto$", "^package[.]json$"] },
    },
    {
      name: "adapters-fit-ports-only",
      comment:
        "An adapter knows its own folder, nouns, configuration and ports. It never knows a room or another adapter.",
      severity: "error",
      from: { path: "^src/adapters/([^/]+)/" },
      to: {
        path: "^src/",
        pathNot: [
          "^src/adapters/$1/",
          "^src/adapters/[^/]+[.]ts$",
          "^src/domain/",
          "^src/config/",
          "^src/ports(/|[.]ts$)",
        ],
      },
    },
    {
      name: "the-store-fits-ports-only",
      comment:
        "The store knows nouns, configuration, ports, the search and what all adapters share; never a room or an adapter.",
      severity: "error",
      from: { path: "^src/store/" },
      to: {
        path: "^src/",
        pathNot: ["^src/(store|search|domain|config)/", "^src/adapters/[^/]+[.]ts$", "^src/ports(/|[.]ts$)"],
      },
    },
    {
      name: "the-search-knows-no-database",
      comment:
        "The search reads rows through a port of its own (search/rows.ts), so that it is the same over every database.",
      severity: "error",
      from: { path: "^src/search/" },
      to: { path: "^src/", pathNot: ["^src/(search|domain|config)/", "^src/ports(/|[.]ts$)"] },
    },
    {
      name: "only-wire-knows-adapters",
      comment: "Only wire/ chooses an adapter or opens the store.",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: ["^src/(adapters|store|search)/", "^src/wire/"],
      },
      to: { path: "^src/(adapters|store|search)/" },
    },
    {
      name: "one-way-out",
      comment:
        "Every request leaves through adapters/github/guarded-fetch.ts, made by wire/egress.ts: allowed origins, public addresses. Take a `fetch` as a value.",
      severity: "error",
      from: {
        path: "^src/",
        pathNot: "^src/adapters/(github/guarded-fetch|private-address|vetted-lookup)[.]ts$|^src/server/",
      },
      to: {
        path: "^(node:)?(http|https|http2|net|tls|dgram|dns)(/promises)?$|^node_modules/undici/",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "one-maker-of-ways-out",
      comment: "Only wire/egress.ts makes a `fetch`, from an address that the operator named.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(wire/egress|adapters/github/translate-error)[.]ts$" },
      to: {
        path: "^src/adapters/github/guarded-fetch[.]ts$",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "nobody-runs-programs",
      comment:
        "What a pull request holds is never run. Programs and threads of our own start in these files, which are few enough to read.",
      severity: "error",
      from: {
        path: "^src/",
        pathNot:
          "^src/adapters/(git/git|reading-child|code-index/(chunker|symbols)|rules/isolated-inspector)[.]ts$|^src/store/(memory/search-(thread|worker)|upkeep/check-(files|worker))[.]ts$",
      },
      to: { path: "^(node:)?(child_process|worker_threads|cluster|vm|repl|inspector|wasi)(/promises)?$" },
    },
    {
      name: "src-stands-alone",
      comment: "The product never knows its tests, benchmarks, evaluation, demo or chaos.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|bench|eval|demo|scripts|chaos)/" },
    },
    {
      name: "dashboard-pages-only-show",
      comment:
        "A page of the dashboard is a function of values: ports are read in read-*.ts, acts stand in acts.ts, both are called by dashboard.ts.",
      severity: "error",
      from: { path: "^src/dashboard/", pathNot: "^src/dashboard/(dashboard|dashboard-ports|acts|read-[a-z-]+)[.]ts$" },
      to: { path: "^src/", pathNot: ["^src/dashboard/", "^src/domain/", "^src/config/"] },
    },
    {
      name: "nothing-half-wired",
      comment:
        "A file that neither the server nor the command line reaches is not part of the product. Wire it or delete it.",
      severity: "error",
      from: { path: "^src/(main|cli/main|store/memory/search-worker)[.]ts$" },
      to: {
        path: "^src/",
        reachable: false,
        // search-worker.ts and check-worker.ts are started as threads, inspect-process.ts and symbols-process.ts as processes, by their file names.
        // hunk-text.ts words whole hunks for an index of them, which nothing keeps yet; its conformance area is held.
        // dashboard/assets/ is what browsers load, by the names in dashboard/assets.ts.
        pathNot:
          "^src/(main|cli/main|store/memory/search-worker|store/upkeep/check-worker|adapters/rules/inspect-process|adapters/code-index/symbols-process|domain/code/hunk-text|dashboard/assets/[a-z-]+)[.](ts|js)$",
      },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^dist/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
      extensions: [".ts", ".js", ".mjs", ".json"],
    },
  },
};
