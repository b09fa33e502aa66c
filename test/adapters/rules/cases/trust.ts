// Cases of rules about trust, by rule.
import { type Cases, example } from "../rule-cases.ts";

export const TRUST: Cases = {
  "jwt-unverified": {
    bad: [
      { path: "src/auth.ts", code: 'const claims = jwt.verify(token, key, { algorithms: ["HS256", "none"] });' },
      example("app/auth.py", 'claims = jwt.decode(token, options={"verify_signature": False})'),
      example("Auth.java", "JWTVerifier verifier = JWT.require(Algorithm.none()).build();"),
      example("lib/auth.rb", "claims = JWT.decode(token, nil, false)"),
      example("src/auth.rs", "validation.insecure_disable_signature_validation();"),
      example("auth.go", "token, _, err := parser.ParseUnverified(text, &claims)"),
    ],
    good: [
      { path: "src/auth.ts", code: 'const claims = jwt.verify(token, key, { algorithms: ["HS256"] });' },
      example("app/auth.py", 'claims = jwt.decode(token, key, algorithms=["RS256"])'),
      example("lib/auth.rb", 'claims = JWT.decode(token, key, true, algorithm: "HS256")'),
    ],
  },
};
