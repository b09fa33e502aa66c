// More cases of rules about trust, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const TRUST: Cases = {
  "tls-verify-disabled": {
    bad: [
      example("src/client.js", 'process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";'),
      example("app/client.py", "reply = requests.get(URL, timeout=5, verify=False)"),
      example("app/client.py", "context.check_hostname = False"),
      example("client.go", "config := &tls.Config{InsecureSkipVerify: true}"),
      example("Client.java", "builder.setSSLHostnameVerifier(NoopHostnameVerifier.INSTANCE);"),
      example("lib/client.rb", "http.verify_mode = OpenSSL::SSL::VERIFY_NONE"),
      example("src/client.rs", "let client = Client::builder().danger_accept_invalid_certs(true).build()?;"),
      example("client.php", "<?php curl_setopt($handle, CURLOPT_SSL_VERIFYPEER, false);"),
    ],
    good: [
      example("app/client.py", "reply = requests.get(URL, timeout=5, verify=CA_FILE)"),
      example("client.go", "config := &tls.Config{RootCAs: pool}"),
      example("src/client.rs", "let client = Client::builder().add_root_certificate(root).build()?;"),
      example("client.php", "<?php curl_setopt($handle, CURLOPT_SSL_VERIFYPEER, true);"),
    ],
  },
  "jwt-unverified": {
    bad: [
      example("app/auth.py", 'claims = jwt.decode(token, options={"verify_signature": False})'),
      example("Auth.java", "JWTVerifier verifier = JWT.require(Algorithm.none()).build();"),
      example("lib/auth.rb", "claims = JWT.decode(token, nil, false)"),
      example("src/auth.rs", "validation.insecure_disable_signature_validation();"),
      example("auth.go", "token, _, err := parser.ParseUnverified(text, &claims)"),
    ],
    good: [
      example("app/auth.py", 'claims = jwt.decode(token, key, algorithms=["RS256"])'),
      example("lib/auth.rb", 'claims = JWT.decode(token, key, true, algorithm: "HS256")'),
    ],
  },
};
