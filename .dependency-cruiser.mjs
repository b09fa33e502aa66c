// The dependency rules. Each message says what to do instead.
const STAGES = "receive|gather|analyze|retrieve|context|review|publish|learn";

/** Pure libraries that stages and domain may use, each with its reason. */
const PURE = [
  "zod", // schemas: the config schema and the shape of a delivery
  "yaml", // .kodiai.yml with the line and column of each problem
  "conventional-commits-parser", // the reference grammar of titles
  "diff", // the unified-diff parser
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
      comment: "A cycle has no first file to read. Move what both need into a file of their own.",
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
      comment: "The domain imports only itself and the type of the configuration.",
      severity: "error",
      from: { path: "^src/domain/" },
      to: { pathNot: ["^src/domain/", "^src/config/repo-config[.]ts$", "^(node:)?crypto$"] },
    },
    {
      name: "config-knows-no-domain",
      comment:
        "The domain holds values of the configuration, so the configuration imports of the domain only its functions of text.",
      severity: "error",
      from: { path: "^src/config/" },
      to: { path: "^src/", pathNot: ["^src/config/", "^src/domain/text/"] },
    },
    {
      name: "wire-opens-for-its-users",
      comment:
        "server, cli, mcp and dashboard ask wire for ports; wire knows none of them but the dashboard that it opens.",
      severity: "error",
      from: { path: "^src/wire/" },
      to: { path: "^src/(server|cli|mcp)/" },
    },
    {
      name: "faces-do-not-share",
      comment:
        "The tools for agents and the command line are two faces of the same flows. What both need belongs in flows/ or config/.",
      severity: "error",
      from: { path: "^src/(mcp|cli)/" },
      to: { path: "^src/(mcp|cli)/", pathNot: ["^src/$1/", "^src/mcp/mcp-server[.]ts$"] },
    },
    {
      name: "ports-know-only-the-domain",
      comment: "A port uses types of the domain and of other ports, so that any adapter can implement it.",
      severity: "error",
      from: { path: "^src/ports(/|[.]ts$)" },
      to: { pathNot: ["^src/domain/", "^src/config/", "^src/ports(/|[.]ts$)"] },
    },
    {
      name: "stages-do-not-import-stages",
      comment: "A stage returns a value, and the flow passes it on. What two stages share belongs in domain/.",
      severity: "error",
      from: { path: `^src/(${STAGES})/` },
      to: { path: `^src/(${STAGES})/`, pathNot: "^src/$1/" },
    },
    {
      name: "one-entry-module-per-stage",
      comment: "Import the entry module of a stage, src/STAGE/STAGE.ts.",
      severity: "error",
      from: { path: "^src/", pathNot: `^src/(${STAGES})/` },
      to: { path: `^src/(${STAGES})/`, pathNot: "^src/([^/]+)/\\1[.]ts$" },
    },
    {
      name: "only-entry-modules-know-ports",
      comment: "Only the entry module of a stage imports ports, even as a type; the rest of the stage is pure.",
      severity: "error",
      from: { path: `^src/(${STAGES})/`, pathNot: "^src/([^/]+)/\\1[.]ts$" },
      to: { path: "^src/ports(/|[.]ts$)" },
    },
    {
      name: "stages-use-pure-libraries",
      comment:
        "Stages, domain, ports and configuration use pure libraries only (see the list). Put the outside world behind a port.",
      severity: "error",
      from: { path: `^src/(${STAGES}|domain|config)/|^src/ports(/|[.]ts$)` },
      to: { pathNot: ["^src/", `^node_modules/(${PURE})/`, "^(node:)?crypto$", "^package[.]json$"] },
    },
    {
      name: "adapters-know-only-ports",
      comment:
        "An adapter imports its own folder, the domain, the configuration, ports and what finds secrets; no stage and no other adapter.",
      severity: "error",
      from: { path: "^src/adapters/([^/]+)/" },
      to: {
        path: "^src/",
        pathNot: [
          "^src/adapters/$1/",
          "^src/adapters/[^/]+[.]ts$",
          // The rules report secrets as the redactor finds them.
          "^src/adapters/secrets/(detect-secrets|secret-span)[.]ts$",
          "^src/domain/",
          "^src/config/",
          "^src/ports(/|[.]ts$)",
        ],
      },
    },
    {
      name: "the-store-knows-only-ports",
      comment:
        "The store imports the domain, the configuration, ports, the search and what all adapters share; no stage and no adapter.",
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
        pathNot: "^src/adapters/(github/guarded-fetch|private-address)[.]ts$|^src/server/",
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
      name: "few-files-start-programs",
      comment:
        "Nothing from a pull request is ever run. Only these files start programs and threads, and only our own.",
      severity: "error",
      from: {
        path: "^src/",
        pathNot:
          "^src/adapters/(git/git|reading-child|code-index/symbols|rules/isolated-inspector)[.]ts$|^src/store/upkeep/check-(files|worker)[.]ts$|^src/server/(worker-process|processor-(times|watch))[.]ts$",
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
        "A page of the dashboard is a function of values: read-*.ts read ports, and dashboard.ts has the actions.",
      severity: "error",
      from: { path: "^src/dashboard/", pathNot: "^src/dashboard/(dashboard|dashboard-ports|read-[a-z-]+)[.]ts$" },
      to: { path: "^src/", pathNot: ["^src/dashboard/", "^src/domain/", "^src/config/"] },
    },
    {
      name: "nothing-half-wired",
      comment:
        "A file that neither the server nor the command line reaches is not part of the product. Wire it or delete it.",
      severity: "error",
      from: { path: "^src/(main|cli/main|server/job-process)[.]ts$" },
      to: {
        path: "^src/",
        reachable: false,
        // check-worker.ts and processor-watch.ts are started as threads, inspect-process.ts,
        // symbols-process.ts and job-process.ts as processes, by their file names.
        // dashboard/assets/ is what browsers load, by the names in dashboard/assets.ts.
        pathNot:
          "^src/(main|cli/main|server/job-process|server/processor-watch|store/upkeep/check-worker|adapters/rules/inspect-process|adapters/code-index/symbols-process|dashboard/assets/[a-z-]+)[.](ts|js)$",
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
