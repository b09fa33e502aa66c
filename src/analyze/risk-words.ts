// The words on an added line that are a reason to look closer. Whole words only: `design`, `assign`, `significant` are not
// `sign`. Words that are ordinary English stand with what makes them code: `fetch(`, not "fetch".
import type { RiskId } from "../domain/signals.ts";

/** Characters of a line that are read: a longer one is data or minified. */
export const LINE_READ = 2000;

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

/** Formats that can name types or run code; reading JSON is everyday work and says nothing. */
const DESERIALIZATION = [
  String.raw`\b(?:pickle|cpickle|dill|jsonpickle|shelve|torch|joblib|marshal)\.(?:loads?|decode|open)\b`,
  String.raw`\byaml\.(?:load|load_all|unsafe_load|full_load)\b`,
  String.raw`\b(?:unserialize|objectinputstream|readobject|binaryformatter|xmldecoder|xstream|typenamehandling)\b`,
  String.raw`\b(?:de|un)seriali[sz](?:e|er|ation|ing)\b|\bunmarshal\w{0,20}\b`,
];

/** Each pattern reads a line in one pass. Case matters where languages differ by it: `raise Error` against "raise it". */
export const CONTENT_RISKS: readonly (readonly [RiskId, RegExp])[] = [
  ["error-handling", new RegExp(ERROR_HANDLING.join("|"))],
  ["cryptography", new RegExp(CRYPTOGRAPHY.join("|"), "i")],
  ["concurrency", new RegExp(CONCURRENCY.join("|"), "i")],
  ["network", new RegExp(NETWORK.join("|"))],
  ["deserialization", new RegExp(DESERIALIZATION.join("|"), "i")],
];
