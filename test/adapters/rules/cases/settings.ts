// More cases of rules about settings, by rule.
import type { Cases } from "../rule-cases.ts";

export const SETTINGS: Cases = {
  "duplicate-key-in-data": {
    bad: [{ path: "config/app.yml", code: "server:\n  port: 80\n  host: a\n  port: 8080" }],
    good: [
      {
        path: "charts/app/templates/a.yaml",
        code: "{{- if .Values.a }}\nport: 80\n{{- else }}\nport: 8080\n{{- end }}",
      },
      { path: "compose.yml", code: "x: &x\n  a: 1\nz: &z\n  c: 2\ny:\n  <<: *x\n  b: 2" },
    ],
  },
  "cors-any-origin-with-credentials": {
    bad: [{ path: "application.properties", code: "app.cors.allow-credentials=true\napp.cors.allowed-origins=*" }],
    good: [
      { path: "config/cors.yml", code: "cors:\n  allowed_origins: https://app.acme.io\n  allow_credentials: true" },
    ],
  },
  "session-cookie-insecure": {
    bad: [
      { path: "app/settings.py", code: "SESSION_COOKIE_SECURE = False" },
      { path: "php.ini", code: "session.cookie_httponly = 0" },
    ],
    good: [
      { path: "app/settings/development.py", code: "SESSION_COOKIE_SECURE = False" },
      { path: "app/settings.py", code: "SESSION_COOKIE_SECURE = not DEBUG" },
    ],
  },
};
