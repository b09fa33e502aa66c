// Cases of the rules in repository/signatures.ts, by rule.
import type { Cases } from "../rule-cases.ts";

export const SIGNATURES: Cases = {
  "callers-not-changed": {
    bad: [
      {
        path: "src/users.ts",
        before: "export function rename(db: Database, name: string) {\n  return db.write(name);\n}\n",
        code: "export function rename(db: Database, id: number, name: string) {\n  return db.write(id, name);\n}\n",
        beside: { "src/server.ts": 'import { rename } from "./users.ts";\n\nrename(db, "Ada");\n' },
      },
      {
        path: "app/mail.py",
        before: "def send(message, host, timeout=10):\n    connect(host, timeout).send(message)\n",
        code: "def send(message, host):\n    connect(host).send(message)\n",
        beside: { "app/report.py": "from app.mail import send\n\nsend(compose(), HOST, timeout=3)\n" },
      },
      {
        path: "lib/price.js",
        before: "export function priceOf(item, country) {\n  return item.price * rate(country);\n}\n",
        code: "export function priceOf(country, item) {\n  return item.price * rate(country);\n}\n",
        beside: { "lib/cart.js": 'import { priceOf } from "./price.js";\nconst sum = priceOf(item, country);\n' },
      },
      {
        path: "store/open.go",
        before: "package store\n\nfunc Open(path string) error {\n\treturn open(path)\n}\n",
        code: "package store\n\nfunc Open(path string, mode int) error {\n\treturn open(path, mode)\n}\n",
        beside: {
          "main.go": 'package main\n\nimport "example.com/app/store"\n\nfunc main() {\n\tstore.Open("a")\n}\n',
        },
      },
    ],
    good: [
      {
        path: "src/users.ts",
        before: "export function rename(db: Database, name: string) {\n  return db.write(name);\n}\n",
        code: "export function rename(db: Database, name: string, id = 0) {\n  return db.write(id, name);\n}\n",
        beside: { "src/server.ts": 'import { rename } from "./users.ts";\n\nrename(db, "Ada");\n' },
      },
      {
        path: "src/users.ts",
        before: "export function rename(db: Database, name: string) {\n  return db.write(name);\n}\n",
        code: "export function rename(db: Database, id: number, name: string) {\n  return db.write(id, name);\n}\n",
        beside: { "src/server.ts": 'import { rename } from "files";\n\nrename(from, to);\nfile.rename(from, to);\n' },
      },
      {
        path: "src/shapes.ts",
        before: "export class Circle {\n  draw(at: Point) {}\n}\n",
        code: "export class Circle {\n  draw(at: Point, on: Canvas) {}\n}\n",
        beside: {
          "src/square.ts": "export class Square {\n  draw(at: Point) {}\n  again() {\n    this.draw(here);\n  }\n}\n",
        },
      },
    ],
  },
};
