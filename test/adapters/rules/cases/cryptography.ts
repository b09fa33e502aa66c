// Cases of rules about cryptography, by rule.
import { type Cases, example } from "../rule-cases.ts";

export const CRYPTOGRAPHY: Cases = {
  "weak-password-hash": {
    bad: [
      { path: "src/accounts.ts", code: 'const stored = createHash("sha256").update(password).digest("hex");' },
      example("app/accounts.py", "stored = hashlib.md5(password.encode()).hexdigest()"),
      example("accounts.go", "stored := sha256.Sum256([]byte(password))"),
      example("accounts.php", "<?php $stored = md5($password);"),
      example("accounts.php", "<?php $stored = hash('sha256', $password);"),
      example("lib/accounts.rb", "stored = Digest::SHA1.hexdigest(password)"),
      example("Accounts.java", "String stored = DigestUtils.md5Hex(password);"),
    ],
    good: [
      { path: "src/cache.ts", code: 'const key = createHash("md5").update(url).digest("hex");' },
      example("app/accounts.py", "stored = bcrypt.hashpw(password.encode(), bcrypt.gensalt())"),
      example("app/cache.py", "etag = hashlib.md5(body).hexdigest()"),
      example("src/help.ts", 'say("never store the md5 of a password");'),
      example("accounts.php", "<?php $stored = password_hash($password, PASSWORD_DEFAULT);"),
    ],
  },
  "insecure-temp-file": {
    bad: [
      { path: "app/report.py", code: "path = tempfile.mktemp()" },
      example("report.php", '<?php file_put_contents(sys_get_temp_dir() . "/report.csv", $rows);'),
      example("lib/report.rb", 'File.write("/tmp/report-#{Process.pid}.csv", rows)'),
    ],
    good: [
      { path: "app/report.py", code: "with tempfile.NamedTemporaryFile() as file:\n    file.write(rows)" },
      example("report.php", '<?php file_put_contents(tempnam(sys_get_temp_dir(), "report"), $rows);'),
    ],
  },
  "weak-cipher": {
    bad: [
      example("src/vault.ts", 'const cipher = crypto.createCipheriv("aes-128-ecb", key, null);'),
      example("app/vault.py", "cipher = AES.new(key, AES.MODE_ECB)"),
      example("vault.go", "block, err := des.NewCipher(key)"),
      example("Vault.java", 'Cipher cipher = Cipher.getInstance("AES/ECB/PKCS5Padding");'),
      example("vault.php", '<?php $sealed = openssl_encrypt($text, "aes-128-ecb", $key);'),
      example("lib/vault.rb", 'cipher = OpenSSL::Cipher.new("des-ede3-cbc")'),
    ],
    good: [
      example("src/vault.ts", 'const cipher = crypto.createCipheriv("aes-256-gcm", key, nonce);'),
      example("app/vault.py", "cipher = AES.new(key, AES.MODE_GCM)"),
      example("Vault.java", 'Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");'),
      example("Vault.java", 'Cipher cipher = Cipher.getInstance("RSA/ECB/OAEPWithSHA-256AndMGF1Padding");'),
    ],
  },
};
