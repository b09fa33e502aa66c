// More cases of rules about trust, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const TRUST: Cases = {
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
