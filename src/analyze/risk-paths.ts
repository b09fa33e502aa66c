// The paths that are a reason to look closer. A path is read as words: `src/lib/auth-service.ts` says auth and service, and
// `authorList.ts` says author and list, so that auth never matches an author, nor token a tokenizer.
import type { FileKind, RiskId } from "../domain/signals.ts";

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
const CREDENTIAL_PAIRS = new Set([
  "api key",
  "api keys",
  "private key",
  "private keys",
  "access key",
  "access keys",
  "access token",
  "access tokens",
]);

const CREDENTIAL_FILE =
  /(?:^|\/)(?:\.env(?:\.[\w.-]+)?|[\w.-]+\.env|\.npmrc|\.pypirc|\.netrc|\.pgpass|id_(?:rsa|dsa|ecdsa|ed25519))$|\.(?:pem|key|p12|pfx|jks|keystore|crt|cer|der|asc|gpg|kdbx|ovpn)$/i;

const SCHEMA = words("migration migrations migrate schema schemas ddl alembic flyway liquibase prisma");

const MANIFEST = new Set([
  ...["package.json", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "pnpm-workspace.yaml"],
  ...["bun.lock", "bun.lockb", "deno.json", "deno.lock", "go.mod", "go.sum", "go.work", "go.work.sum", "cargo.toml"],
  ...["cargo.lock", "pyproject.toml", "poetry.lock", "uv.lock", "pdm.lock", "pipfile", "pipfile.lock", "setup.py"],
  ...["setup.cfg", "environment.yml", "gemfile", "gemfile.lock", "composer.json", "composer.lock", "pom.xml"],
  ...["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradle.lockfile"],
  ...[
    "libs.versions.toml",
    "build.sbt",
    "packages.config",
    "packages.lock.json",
    "directory.packages.props",
    "flake.nix",
  ],
  ...["flake.lock", "mix.exs", "mix.lock", "pubspec.yaml", "pubspec.lock", "podfile", "podfile.lock", "package.swift"],
  ...["package.resolved", "conanfile.txt", "conanfile.py", "vcpkg.json", "module.bazel", "cartfile", "rebar.config"],
]);

const MANIFEST_PATTERN =
  /(?:^|\/)requirements[\w.-]*\.(?:txt|in)$|(?:^|\/)requirements\/[\w.-]+\.txt$|\.(?:csproj|fsproj|vbproj|gemspec|podspec|cabal|nuspec)$/i;

/**
 * The risks that a path alone raises.
 *
 * @param path with `/`
 * @param kind what the file is; only `infra` matters, documentation raises nothing
 */
export function pathRisks(path: string, kind: FileKind | undefined): readonly RiskId[] {
  const base = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const found: RiskId[] = [];
  if (MANIFEST.has(base) || MANIFEST_PATTERN.test(path)) found.push("dependencies");
  if (kind === "docs") return found;
  const said = wordsOf(path);
  const has = (wanted: ReadonlySet<string>) => said.some((word) => wanted.has(word));
  if (has(AUTHENTICATION)) found.push("authentication");
  if (has(CREDENTIALS) || saysPair(said) || CREDENTIAL_FILE.test(path)) found.push("credentials");
  if (kind === "infra") found.push("infrastructure");
  if (has(SCHEMA) || base.endsWith(".sql")) found.push("schema");
  return found;
}

/** What the path of a file that is not reviewed still says; other people's code says nothing. */
export function leftOutRisks(path: string): readonly RiskId[] {
  if (/(?:^|\/)(?:node_modules|vendor|third[-_]?party)\//i.test(path)) return [];
  return pathRisks(path, undefined).filter((id) => id === "dependencies" || id === "credentials");
}

function saysPair(said: readonly string[]): boolean {
  return said.some((word, index) => CREDENTIAL_PAIRS.has(`${word} ${said[index + 1] ?? ""}`));
}

/** `src/userAuth/HTTPLogin_v2.ts` → src, user, auth, http, login, v2, ts. */
function wordsOf(path: string): readonly string[] {
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
