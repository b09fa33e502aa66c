// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of configuration files.
// Cases of rules about secrets, by rule.
import type { Cases } from "../rule-cases.ts";

const token = (...parts: readonly string[]) => parts.join("");

const pemBody = [
  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
  "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu",
];

export const SECRETS: Cases = {
  "leaked-secret": {
    bad: [
      { path: "src/api.ts", code: `const key = "${token("ghp", "_", "k9XwQ2mZ7bLr4TnVy8Jc1HsPd6GfAe3uRo5E")}";` },
      { path: "deploy/.env", code: token("AWS_ACCESS_KEY_ID=", "AKIA", "Q7ZN5WVKXL3RTYBM") },
      {
        path: "app/mail.py",
        code: `KEY = "${token("SG", ".", "q9XwQ2mZ7bLr4TnVy8Jc1H", ".", "sPd6GfAe3uRo5Eq9XwQ2mZ7bLr4TnVy8Jc1HsPd6GfA")}"`,
      },
    ],
    good: [
      { path: "src/api.ts", code: "const key = process.env.GITHUB_TOKEN;" },
      { path: "docs/setup.md", code: token("export AWS_ACCESS_KEY_ID=", "AKIA", "IOSFODNN7EXAMPLE") },
      { path: "test/api.test.ts", code: `const key = "${token("ghp", "_", "123456789012345678901234567890123456")}";` },
    ],
  },
  "private-key": {
    bad: [
      {
        path: "deploy/server.key",
        code: [token("-----BEGIN ", "PRIVATE KEY-----"), ...pemBody, "-----END PRIVATE KEY-----"].join("\n"),
      },
      {
        path: "src/sign.py",
        code: `KEY = """${token("-----BEGIN RSA ", "PRIVATE KEY-----")}\n${pemBody.join("\n")}\n-----END RSA PRIVATE KEY-----"""`,
      },
    ],
    good: [
      { path: "README.md", code: `${token("-----BEGIN ", "PRIVATE KEY-----")}\n...\n-----END PRIVATE KEY-----` },
      { path: "src/pem.ts", code: `const HEADER = "${token("-----BEGIN ", "PRIVATE KEY-----")}";` },
      {
        path: "deploy/server.crt",
        code: ["-----BEGIN CERTIFICATE-----", ...pemBody, "-----END CERTIFICATE-----"].join("\n"),
      },
    ],
  },
  "hardcoded-credential": {
    bad: [
      { path: "config/production.yml", code: "database:\n  password: kV9rtqLmW2xz" },
      // Too short for their format, and base64 with a slash: what they are called says what they
      // are.
      { path: "src/a.py", code: `ADMIN_TOKEN = "${token("gh", "p_", "16C7e42F292c6912E77")}"` },
      { path: "src/a.rb", code: `API_TOKEN = '${token("gl", "pat-", "x8Kq2LmT9w")}'` },
      { path: "src/a.ts", code: `const awsSecret = "${token("9f/KqT2LmXw8vRtBz", "N4cYh+7pJd3SgUe6QaWoE1i")}";` },
      { path: "src/settings.py", code: `SECRET_KEY = '${token("9f/KqT2LmXw8vRtBz", "N4cYh+7pJd3SgUe6QaWoE1i")}'` },
      { path: "src/main/resources/application.properties", code: "spring.datasource.password=Tr7uQm29zKpL" },
      { path: "Dockerfile", code: "ENV API_KEY=q8Zk2LmV9xRtY4Wn" },
      {
        path: "deploy/secret.yaml",
        code: `apiVersion: v1\nkind: Secret\ndata:\n  pin: ${token("a1Y5cnRxTG1X", "Mnh6UXE3")}`,
      },
      ...[
        ["src/database.ts", 'const password = "SECRET";'],
        ["src/database.ts", 'const password: string = "SECRET";'],
        ["app/database.py", 'connect(host=HOST, password="SECRET")'],
        ["database.go", 'apiKey := "SECRET"'],
        ["Database.java", 'private static final String PASSWORD = "SECRET";'],
        ["lib/database.rb", 'password = "SECRET"'],
        ["src/database.rs", 'const PASSWORD: &str = "SECRET";'],
        ["database.php", '<?php $password = "SECRET";'],
        ["config.php", '<?php return ["password" => "SECRET"];'],
      ].map(([path = "", code = ""]) => ({ path, code: code.replace("SECRET", token("hV7rQ2", "mZx9LpT4")) })),
    ],
    good: [
      { path: "config/production.yml", code: 'database:\n  password: ${DB_PASSWORD}\n  token: "<your token>"' },
      {
        path: "docker-compose.yml",
        code: "environment:\n  POSTGRES_PASSWORD: changeme\n  MYSQL_ROOT_PASSWORD: root1234",
      },
      { path: "config/settings.toml", code: 'password = "example.com"\nsecret_token = "xxxxxxxxxxxxxxxx1"' },
      { path: "k8s/deployment.yaml", code: "secretKeyRef:\n  name: db-secret-v2\n  key: password1" },
      { path: "src/database.ts", code: "const password = process.env.DATABASE_PASSWORD;" },
      { path: "src/form.ts", code: 'const password = "settings.password.v2";' },
      { path: "app/database.py", code: 'password = "your-password-1"' },
      { path: "Database.java", code: 'private static final String PASSWORD = "spring.datasource.password";' },
      {
        path: "docs/.vitepress/config.ts",
        code: `const algolia = {\n  appId: "BH4D9OD16A",\n  apiKey: "${token("25626fae796133dc", "1e734c6bcaaeac3c")}",\n};`,
      },
      { path: "web/pay.js", code: `const apiKey = "${token("pk_live_", "51H8xQ2mZ7bLr4TnVy8")}";` },
      { path: "src/map.ts", code: `// This token is public.\nconst accessToken = "${token("q8Zk2LmV", "9xRtY4Wn")}";` },
    ],
  },
  "credential-in-url": {
    bad: [
      {
        path: "config/database.yml",
        code: token("url: postgres://", "billing:", "kV9rtqLmW2xz@db.internal.acme.io:5432/billing"),
      },
      { path: "scripts/sync.sh", code: token("curl https://", "deploy:", "Tr7uQm29zKpL@files.acme.io/up") },
    ],
    good: [
      { path: "config/database.yml", code: "url: postgres://user:password@localhost/app" },
      { path: "scripts/sync.sh", code: 'curl "https://$USER:$PASS@files.acme.io/up"' },
      { path: "src/urls.ts", code: 'const at = "https://example.com/a:b@2x.png";' },
    ],
  },
  "private-file-committed": {
    bad: [
      { path: "deploy/id_rsa", code: "b3BlbnNzaC1rZXktdjEAAAAA" },
      { path: "infra/terraform.tfstate", code: '{\n  "version": 4\n}' },
      { path: ".env", code: "SESSION_SECRET=9fKq2mLx8vRt" },
    ],
    good: [
      { path: ".env.example", code: "SESSION_SECRET=9fKq2mLx8vRt" },
      { path: ".env", code: "PORT=3000\nLOG_LEVEL=debug" },
      { path: "deploy/id_rsa.pub", code: "ssh-ed25519 AAAAC3Nz me@host" },
    ],
  },
};
