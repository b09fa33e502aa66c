// biome-ignore-all lint/suspicious/noTemplateCurlyInString: interpolation of other languages.
// Cases of the rules in line/protection.ts, by rule.
import { type Cases, example } from "../rule-cases.ts";

export const PROTECTION: Cases = {
  "tls-verify-disabled": {
    bad: [
      { path: "src/client.ts", code: "const agent = new https.Agent({ rejectUnauthorized: false });" },
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
      { path: "src/client.ts", code: "const agent = new https.Agent({ ca: readFileSync(CA) });" },
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
};
