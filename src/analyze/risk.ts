// Reasons to look closer: paths that a change touches, and whole words in its added lines.

import { nameOf } from "../domain/code/paths.ts";
import type { LeftOut } from "../domain/omissions.ts";
import type { FileDiff } from "../domain/pull-request.ts";
import { type FileFacts, type FileKind, RISK_TEXTS, type Risk, type RiskId } from "../domain/signals.ts";

/**
 * Files whose added lines are read. A count, no time limit: risks are the same on any machine.
 */
const FILES_READ = 200;

/** Places listed per risk. */
const EVIDENCE = 20;

type Evidence = Risk["evidence"][number];

/**
 * The risks of a change, in the fixed order of RiskId.
 *
 * Paths count for every file. Added lines count for the first 200 files that are not documentation;
 * a `truncated` risk reports that there were more, with the first unread one. Context and removed
 * lines never count.
 *
 * @param files the reviewed files, with `facts` in the same order
 * @param leftOut not reviewed: a lock file still changes dependencies, a keystore is a secret
 */
export function risks(
  files: readonly FileDiff[],
  facts: readonly FileFacts[],
  leftOut: readonly LeftOut[] = [],
): readonly Risk[] {
  const found = new Map<RiskId, Evidence[]>();
  const add = (id: RiskId, path: string, line: number | null = null) => {
    const places = found.get(id) ?? [];
    if (places.length < EVIDENCE) places.push({ path, line });
    found.set(id, places);
  };
  for (const [index, { path }] of files.entries()) {
    for (const id of pathRisks(path, facts[index]?.kind)) add(id, path);
  }
  for (const { path } of leftOut) {
    for (const id of leftOutRisks(path)) add(id, path);
  }
  // Prose about cryptography is not cryptography.
  const readable = files.filter((file, index) => file.hunks.length > 0 && facts[index]?.kind !== "docs");
  for (const { path, hunks } of readable.slice(0, FILES_READ)) {
    const added = hunks.flatMap(({ lines }) => lines).filter(({ kind }) => kind === "added");
    for (const [id, pattern] of CONTENT_RISKS) {
      for (const { text, newLine } of added) if (pattern.test(text.slice(0, LINE_READ))) add(id, path, newLine);
    }
  }
  const unread = readable[FILES_READ];
  if (unread !== undefined) add("truncated", unread.path);
  return (Object.keys(RISK_TEXTS) as RiskId[]).flatMap((id) => {
    const evidence = found.get(id);
    return evidence === undefined ? [] : [{ id, text: RISK_TEXTS[id], evidence }];
  });
}

// Paths that are a reason to look closer, read as words: `src/lib/auth-service.ts` has auth and
// service, and `authorList.ts` has author and list, so that auth never matches an author, nor token
// a tokenizer.

const AUTHENTICATION = words(
  "auth authn authz authenticate authenticated authentication authenticator authorize authorized authorization authorizer " +
    "authorise authorisation oauth oauth2 oidc openid saml sso ldap jwt login logins logout signin signup signout " +
    "session sessions permission permissions acl rbac abac password passwords mfa 2fa totp webauthn passkey passkeys csrf " +
    "keycloak kerberos iam",
);

const CREDENTIALS = words(
  "credential credentials secret secrets passwd apikey apikeys keystore truststore htpasswd netrc pgpass vault",
);

/** Two words that mean a secret only together: `api_key`, `private-key`. */
const CREDENTIAL_PAIRS = /\b(?:(?:api|private|access) keys?|access tokens?)\b/;

const CREDENTIAL_FILE =
  /(?:^|\/)(?:\.env(?:\.[\w.-]+)?|[\w.-]+\.env|\.npmrc|\.pypirc|\.netrc|\.pgpass|id_(?:rsa|dsa|ecdsa|ed25519))$|\.(?:pem|key|p12|pfx|jks|keystore|crt|cer|der|asc|gpg|kdbx|ovpn)$/i;

const SCHEMA = words("migration migrations migrate schema schemas ddl alembic flyway liquibase prisma");

/** `user.schema.ts` is a validator's schema, and so are those of JSON and GraphQL. */
const VALIDATOR = /[.-]schemas?\.(?:[cm]?[jt]sx?|json|py)$|\.graphqls?$/;

const MANIFEST = words(
  "package.json package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml pnpm-workspace.yaml " +
    "bun.lock bun.lockb deno.json deno.lock go.mod go.sum go.work go.work.sum cargo.toml " +
    "cargo.lock pyproject.toml poetry.lock uv.lock pdm.lock pipfile pipfile.lock setup.py " +
    "setup.cfg environment.yml gemfile gemfile.lock composer.json composer.lock pom.xml " +
    "build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.lockfile " +
    "libs.versions.toml build.sbt packages.config packages.lock.json directory.packages.props flake.nix " +
    "flake.lock mix.exs mix.lock pubspec.yaml pubspec.lock podfile podfile.lock package.swift " +
    "package.resolved conanfile.txt conanfile.py vcpkg.json module.bazel cartfile rebar.config",
);

const MANIFEST_PATTERN =
  /(?:^|\/)requirements[\w.-]*\.(?:txt|in)$|(?:^|\/)requirements\/[\w.-]+\.txt$|\.(?:csproj|fsproj|vbproj|gemspec|podspec|cabal|nuspec)$/i;

function pathRisks(path: string, kind: FileKind | undefined): readonly RiskId[] {
  const base = nameOf(path).toLowerCase();
  const found: RiskId[] = [];
  if (MANIFEST.has(base) || MANIFEST_PATTERN.test(path)) found.push("dependencies");
  if (kind === "docs") return found;
  const said = pathWords(path);
  const has = (wanted: ReadonlySet<string>) => said.some((word) => wanted.has(word));
  if (has(AUTHENTICATION)) found.push("authentication");
  if (has(CREDENTIALS) || CREDENTIAL_PAIRS.test(said.join(" ")) || CREDENTIAL_FILE.test(path))
    found.push("credentials");
  if (kind === "infra") found.push("infrastructure");
  if ((has(SCHEMA) && !VALIDATOR.test(base)) || base.endsWith(".sql")) found.push("schema");
  return found;
}

/** The risks of a path that is not reviewed; other people's code raises none. */
function leftOutRisks(path: string): readonly RiskId[] {
  if (/(?:^|\/)(?:node_modules|vendor|third[-_]?party)\//i.test(path)) return [];
  return pathRisks(path, undefined).filter((id) => id === "dependencies" || id === "credentials");
}

/** `src/userAuth/HTTPLogin_v2.ts` → src, user, auth, http, login, v2, ts. */
function pathWords(path: string): readonly string[] {
  return path
    .slice(-1000)
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

// Words on an added line that are a reason to look closer. Whole words only: `design`, `assign`,
// `significant` are not `sign`. Ordinary English words need their code context: `fetch(`, not
// "fetch".

/** Characters of a line that are read: a longer one is data or minified. */
const LINE_READ = 2000;

const ERROR_HANDLING = [
  String.raw`\b(?:catch|except|rescue|finally)\s*[({:]`,
  String.raw`\.(?:catch|unwrap|expect|unwrap_or_else|recover)\(`,
  String.raw`\bthrow\s+(?:new\s|[\w.$]{1,100}\s*(?:[;(]|$))`,
  String.raw`\braise\s+(?:[A-Z]|[a-z_]{1,100}\s*(?:[(;]|$))`,
  String.raw`\bexcept\s+[A-Z(]`,
  String.raw`\brescue\s+(?:=>|[A-Z])`,
  String.raw`\bthrows\s+[A-Z]`,
  String.raw`\bif\s+err\s*!=\s*nil\b`,
  String.raw`\bpanic!?\(`,
  String.raw`\brecover\(\)`,
  String.raw`^\s*(?:try|finally|rescue|ensure)\s*[:{]?\s*$`,
  String.raw`\b(?:set_error_handler|set_exception_handler|uncaughtException|unhandledRejection)\b`,
];

const CRYPTOGRAPHY = [
  String.raw`\b(?:en|de)crypt(?:ed|s|ion|or|er)?\b`,
  String.raw`\b(?:crypto|cryptography|cipher|bcrypt|scrypt|argon2(?:id?)?|pbkdf2|hmac|openssl|libsodium|nacl|hashlib)\b`,
  String.raw`\b(?:rsa|ecdsa|ed25519|x25519|aes|md5|sha1|sha_?(?:224|256|384|512)|aes[-_]?(?:128|192|256)[\w-]{0,10})\b`,
  String.raw`\b(?:createHash|createHmac|createCipheriv|createDecipheriv|timingSafeEqual|getRandomValues|randomBytes)\b`,
  String.raw`\b(?:MessageDigest|SecureRandom|KeyPairGenerator|RSACryptoServiceProvider|keypair|private_?key|public_?key)\b`,
  String.raw`\b(?:jwt|jws|jose|key|signer|verifier)\.(?:sign|verify)\(`,
  String.raw`\b(?:sign|verify)_?(?:signature|token|jwt)\b`,
  String.raw`\bsecrets\.(?:token_\w{1,20}|choice|compare_digest)\b`,
];

const CONCURRENCY = [
  String.raw`\b(?:mutex|rwlock|semaphore|goroutine|waitgroup|deadlock|threading|multiprocessing|synchronized|volatile)\b`,
  String.raw`\b(?:atomic(?:integer|long|boolean|reference|bool)?|completablefuture|executorservice|threadpool\w{0,20})\b`,
  String.raw`\b(?:sync\.\w{1,20}|std::(?:thread|mutex|atomic|async)|pthread_\w{1,30}|asyncio|create_task|worker_threads)\b`,
  String.raw`\b(?:promise\.(?:all|race|any|allsettled)|sharedarraybuffer|tokio::spawn|spawn_blocking|dispatchqueue)\b`,
  String.raw`\bgo\s+func\s*\(`,
  String.raw`\bnew\s+thread\b`,
  String.raw`\b(?:un)?lock\(\)`,
];

const NETWORK = [
  String.raw`\b(?:fetch|urlopen|listenAndServe|createConnection)\s*\(`,
  String.raw`\b(?:axios|urllib[23]?|httpx|aiohttp|reqwest|XMLHttpRequest|WebSocket|EventSource|HttpClient|RestTemplate)\b`,
  String.raw`\b(?:WebClient|OkHttpClient|curl_\w{1,30}|TcpListener|TcpStream|UdpSocket|URLSession|Net::HTTP)\b`,
  String.raw`\bnet\.(?:Dial|Listen)\w{0,20}\b`,
  String.raw`\bhttps?\.(?:Get|Post|NewRequest\w{0,20}|ListenAndServe\w{0,5}|get|request|createServer)\b`,
  String.raw`\brequests\.(?:get|post|put|patch|delete|request|Session)\b`,
  String.raw`\bsocket\.(?:socket|connect|bind|listen)\b`,
  String.raw`\bgrpc\.(?:Dial|NewClient|NewServer)\b`,
];

/** Formats that can name types or run code; reading JSON is everyday work. */
const DESERIALIZATION = [
  String.raw`\b(?:pickle|cpickle|dill|jsonpickle|shelve|torch|joblib|marshal)\.(?:loads?|decode|open)\b`,
  String.raw`\byaml\.(?:load|load_all|unsafe_load|full_load)\b`,
  String.raw`\b(?:unserialize|objectinputstream|readobject|binaryformatter|xmldecoder|xstream|typenamehandling)\b`,
  String.raw`\b(?:de|un)seriali[sz](?:e|er|ation|ing)\b|\bunmarshal\w{0,20}\b`,
];

/**
 * Each pattern reads a line in one pass. Case matters where it distinguishes languages:
 * `raise Error` against "raise it".
 */
const CONTENT_RISKS: readonly (readonly [RiskId, RegExp])[] = [
  ["error-handling", new RegExp(ERROR_HANDLING.join("|"))],
  ["cryptography", new RegExp(CRYPTOGRAPHY.join("|"), "i")],
  ["concurrency", new RegExp(CONCURRENCY.join("|"), "i")],
  ["network", new RegExp(NETWORK.join("|"))],
  ["deserialization", new RegExp(DESERIALIZATION.join("|"), "i")],
];
