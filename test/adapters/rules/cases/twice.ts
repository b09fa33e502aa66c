// More cases of the rules in repository/twice.ts, by rule.
import type { Cases } from "../rule-cases.ts";

export const TWICE: Cases = {
  "defined-twice": {
    bad: [
      {
        path: "app.py",
        before: 'app = Flask(__name__)\n\n@app.route("/users")\ndef users():\n    return all()\n',
        code: 'app = Flask(__name__)\n\n@app.route("/users")\ndef users():\n    return all()\n\n@app.route("/users")\ndef people():\n    return all()\n',
      },
      {
        path: "api/person.proto",
        code: "package ledger.v1;\n\nmessage Invoice {\n  int64 id = 1;\n}",
        beside: { "api/invoice.proto": "package ledger.v1;\n\nmessage Invoice {\n  int64 cents = 1;\n}\n" },
      },
      {
        path: "src/main/files.ts",
        code: 'ipcMain.handle("open-file", openFile);',
        beside: { "src/main/menu.ts": 'ipcMain.handle("open-file", showDialog);\n' },
      },
    ],
    good: [
      {
        path: "src/server.ts",
        code: 'if (legacy) {\n  app.get("/health", old);\n} else {\n  app.get("/health", health);\n}\napp.post("/health", health);',
      },
      {
        path: "api/person.proto",
        code: "package ledger.v2;\n\nmessage Invoice {\n  int64 id = 1;\n}",
        beside: { "api/invoice.proto": "package ledger.v1;\n\nmessage Invoice {\n  int64 cents = 1;\n}\n" },
      },
    ],
  },
};
