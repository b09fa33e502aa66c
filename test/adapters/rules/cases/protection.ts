// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolation of other languages.
// More cases of the rules in line/protection.ts, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const PROTECTION: Cases = {
  "tls-verify-disabled": {
    bad: [
      example("src/client.js", 'process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";'),
      example("app/client.py", "reply = requests.get(URL, timeout=5, verify=False)"),
      example("app/client.py", "reply = requests.get(", "    URL,", "    verify=False,", ")"),
      example("app/client.py", "session.verify = False"),
      example("app/client.py", "context.check_hostname = False"),
      example("app/client.py", "context.verify_mode = ssl.CERT_NONE"),
      example("client.go", "config := &tls.Config{InsecureSkipVerify: true}"),
      example("Client.java", "builder.setSSLHostnameVerifier(NoopHostnameVerifier.INSTANCE);"),
      example("Client.java", "public void checkServerTrusted(X509Certificate[] chain, String type) {}"),
      example("lib/client.rb", "http.verify_mode = OpenSSL::SSL::VERIFY_NONE"),
      example("src/client.rs", "let client = Client::builder().danger_accept_invalid_certs(true).build()?;"),
      example("client.php", "<?php curl_setopt($handle, CURLOPT_SSL_VERIFYPEER, false);"),
      example("client.php", "<?php $options = ['verify_peer' => false];"),
      example("deploy/.env.production", "NODE_TLS_REJECT_UNAUTHORIZED=0"),
      example("scripts/fetch.sh", "curl -fsSLk https://files.acme.io/tool -o tool"),
      example("config/app.yml", "  verify_ssl: false"),
      example("Dockerfile", "RUN git -c http.sslVerify=false clone https://git.acme.io/a.git"),
    ],
    good: [
      example("app/client.py", "reply = requests.get(URL, timeout=5, verify=CA_FILE)"),
      example("app/client.py", "if context.verify_mode == ssl.CERT_NONE:", "    raise ValueError"),
      example("app/token.py", "claims = decode(token, verify=False)"),
      example("client.go", "config := &tls.Config{RootCAs: pool}"),
      example("Client.java", "import org.apache.http.conn.ssl.NoopHostnameVerifier;"),
      example("src/client.rs", "let client = Client::builder().add_root_certificate(root).build()?;"),
      example("client.php", "<?php curl_setopt($handle, CURLOPT_SSL_VERIFYPEER, true);"),
      example("scripts/fetch.sh", "curl -fsSL https://files.acme.io/tool -o tool-k"),
      example("scripts/health.sh", "curl -k https://localhost:8443/health"),
      example("scripts/kill.sh", "pkill -k thing && curl https://files.acme.io"),
      example("config/app.yml", "  verify_ssl: true", "  # verify_ssl: false"),
    ],
  },
  "cors-any-with-credentials": {
    bad: [
      example("src/server.ts", "app.use(", "  cors({", '    origin: "*",', "    credentials: true,", "  }),", ");"),
      example("app/main.py", 'app.add_middleware(CORSMiddleware, allow_origins=["*"], allow_credentials=True)'),
      example("app/main.py", 'CORS(app, origins="*", supports_credentials=True)'),
      example("server.go", "r.Use(cors.New(cors.Config{AllowAllOrigins: true, AllowCredentials: true}))"),
      example("server.go", 'cors.Options{AllowedOrigins: []string{"*"}, AllowCredentials: true}'),
      example("Cors.java", 'registry.addMapping("/**").allowedOriginPatterns("*").allowCredentials(true);'),
      example("config/cors.yml", "cors:", '  allowed_origins: "*"', "  allow_credentials: true"),
      example("application.properties", "app.cors.allow-credentials=true", "app.cors.allowed-origins=*"),
    ],
    good: [
      example("src/server.ts", 'app.use(cors({ origin: "*" }));'),
      example("app/main.py", "app.add_middleware(CORSMiddleware, allow_origins=ORIGINS, allow_credentials=True)"),
      example("config/cors.yml", "cors:", '  allowed_origins: "*"', "  allow_credentials: false"),
      example("config/cors.yml", "cors:", "  allowed_origins: https://app.acme.io", "  allow_credentials: true"),
    ],
  },
  "insecure-random": {
    bad: [
      example("src/sessions.ts", "const session = { token: Math.random() };"),
      example("app/reset.py", 'reset_token = "".join(random.choice(LETTERS) for _ in range(32))'),
      example("reset.go", "token := rand.Intn(1000000)"),
      example("Reset.java", "String token = Long.toHexString(new Random().nextLong());"),
      example("reset.php", "<?php $resetToken = md5(uniqid());"),
      example("lib/reset.rb", "reset_token = rand(10**12).to_s"),
    ],
    good: [
      example("src/retry.ts", "const delay = Math.random() * 1000;"),
      example("src/retry.ts", "if (token === last && Math.random() > 0.5) retry();"),
      example("app/reset.py", "reset_token = secrets.token_urlsafe(32)"),
      example("app/shuffle.py", "winner = random.choice(entries)"),
      example("app/prompts.py", "max_tokens = random.randint(10, 100)"),
    ],
  },
};
