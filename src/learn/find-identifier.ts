// Names that only one code base knows, in text that is to be understood in another.
import { cutText } from "../domain/cut-text.ts";

/** Written so by everybody: names of languages, products and formats, not of anybody's code. */
const WELL_KNOWN = new Set(
  (
    "javascript typescript coffeescript actionscript github gitlab bitbucket postgresql mysql sqlite mongodb dynamodb influxdb " +
    "mariadb graphql openapi oauth openid webassembly websocket websockets webhook webhooks webgl webrtc xmlhttprequest jquery " +
    "nodejs node.js vue.js next.js nuxt.js react.js express.js three.js d3.js asp.net ios ipados macos watchos tvos ebpf grpc " +
    "numpy pytorch tensorflow scikit openssl openssh libssl freebsd openbsd netbsd powershell stackoverflow youtube linkedin " +
    "kotlin rabbitmq activemq redis clickhouse bigquery snowflake databricks junit nunit xunit pytest rspec opentelemetry " +
    "eslint fastapi latex jupyter vscode intellij xcode cmake gradle opengl directx ipv4 ipv6 utf8 utf16 sha1 sha256 md5 base64 " +
    "http2 http3 tls1 oauth2 es6 es5 c99 i18n l10n k8s s3 ec2 x86 x64 arm64 int32 int64 float32 float64 uint8 e.g i.e vs etc"
  ).split(" "),
);

/** Longer runs are data. */
const LONGEST = 200;

const SHAPES: readonly RegExp[] = [
  // getUserId, parseURL
  /^\p{Ll}+\p{Lu}/u,
  // UserService, HTTPClient
  /^\p{Lu}\p{L}*\p{Ll}\p{Lu}\p{L}/u,
  // user_id, MAX_RETRIES, __init__
  /[\p{L}\p{N}]_[\p{L}\p{N}]|^_+\p{L}/u,
  // user.name, std::move, a->b, $total, @Inject, #private
  /\p{L}\.\p{L}|::|->|^[$@#]\p{L}/u,
  // call(), list[0], <T>
  /\(\)|\[\w*\]|<\/?\p{L}+\/?>/u,
  // src/db/pool, ../x, C:\x
  /\/[^/]+\/|^\.{0,2}\/\p{L}|\p{L}:\\/u,
  // item2, v3beta1
  /^\p{L}+\p{N}+(?:\p{L}|$)/u,
];

/**
 * The first word of a text that looks like a name out of code: camelCase, snake_case, a call, a path, a member, or what stands
 * between backticks.
 *
 * @param text any text; linear in its length
 * @returns it, at most 60 characters; null where there is none
 */
export function findIdentifier(text: string): string | null {
  const quoted = /`[^`\n]{1,200}`/.exec(text);
  if (quoted !== null) return cutText(quoted[0], 60);
  for (const [run] of text.matchAll(/\S+/g)) {
    if (run.length > LONGEST) return cutText(run, 60);
    const word = run
      .replace(/^["'“”‘’([{]+|(?<!["'“”‘’.,;:!?…])["'“”‘’.,;:!?…]+$/g, "")
      .replace(/(?<![([])[)\]}]+$/, "");
    const parts = word.split(/[-–—](?!>)/);
    if (parts.some((part) => !isWellKnown(part) && SHAPES.some((shape) => shape.test(part)))) return cutText(word, 60);
  }
  return null;
}

function isWellKnown(word: string): boolean {
  return WELL_KNOWN.has(word.toLowerCase().replace(/(?:'s|s)$/, "")) || WELL_KNOWN.has(word.toLowerCase());
}
