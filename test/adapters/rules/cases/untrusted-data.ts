// Cases of rules about untrusted data, by rule.
import { type Cases, example } from "../rule-cases.ts";

export const UNTRUSTED_DATA: Cases = {
  "unsafe-yaml-load": {
    bad: [
      example("app/settings.py", "settings = yaml.load(stream)"),
      example("app/settings.py", "settings = yaml.load(stream, Loader=yaml.Loader)"),
      example("app/settings.py", "settings = yaml.unsafe_load(stream)"),
      example("lib/settings.rb", "settings = YAML.unsafe_load(text)"),
      example(
        "Settings.java",
        "class Settings { Object load(String text) { return new Yaml(new Constructor(Object.class)).load(text); } }",
      ),
    ],
    good: [
      example("app/settings.py", "settings = yaml.safe_load(stream)"),
      example("app/settings.py", "settings = yaml.load(stream, Loader=yaml.SafeLoader)"),
      example("app/settings.py", "settings = yaml.load(stream, Loader=yaml.CSafeLoader)"),
      example("lib/settings.rb", "settings = YAML.safe_load(text)"),
    ],
  },
  "unsafe-deserialization": {
    bad: [
      example("app/session.py", 'session = pickle.loads(base64.b64decode(request.cookies["session"]))'),
      example("Session.java", "ObjectInputStream in = new ObjectInputStream(socket.getInputStream());"),
      example("lib/session.rb", "session = Marshal.load(Base64.decode64(cookies[:session]))"),
      example("session.php", '<?php $session = unserialize($_COOKIE["session"]);'),
      example("src/session.js", "const session = serialize.unserialize(req.cookies.session);"),
    ],
    good: [
      example("app/cache.py", 'with open(CACHE, "rb") as file:', "    cache = pickle.load(file)"),
      example("app/session.py", 'session = json.loads(request.cookies["session"])'),
      example("session.php", '<?php $session = unserialize($_COOKIE["session"], ["allowed_classes" => false]);'),
      example("Cache.java", "ObjectInputStream in = new ObjectInputStream(new FileInputStream(cache));"),
    ],
  },
};
