// More cases of rules about cryptography, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const CRYPTOGRAPHY: Cases = {
  "weak-password-hash": {
    bad: [
      example("app/accounts.py", "stored = hashlib.md5(password.encode()).hexdigest()"),
      example("accounts.go", "stored := sha256.Sum256([]byte(password))"),
      example("accounts.php", "<?php $stored = md5($password);"),
      example("accounts.php", "<?php $stored = hash('sha256', $password);"),
      example("lib/accounts.rb", "stored = Digest::SHA1.hexdigest(password)"),
      example("Accounts.java", "String stored = DigestUtils.md5Hex(password);"),
    ],
    good: [
      example("app/accounts.py", "stored = bcrypt.hashpw(password.encode(), bcrypt.gensalt())"),
      example("app/cache.py", "etag = hashlib.md5(body).hexdigest()"),
      example("src/help.ts", 'say("never store the md5 of a password");'),
      example("accounts.php", "<?php $stored = password_hash($password, PASSWORD_DEFAULT);"),
    ],
  },
  "weak-cipher": {
    bad: [
      example("app/vault.py", "cipher = AES.new(key, AES.MODE_ECB)"),
      example("vault.go", "block, err := des.NewCipher(key)"),
      example("Vault.java", 'Cipher cipher = Cipher.getInstance("AES/ECB/PKCS5Padding");'),
      example("vault.php", '<?php $sealed = openssl_encrypt($text, "aes-128-ecb", $key);'),
      example("lib/vault.rb", 'cipher = OpenSSL::Cipher.new("des-ede3-cbc")'),
    ],
    good: [
      example("app/vault.py", "cipher = AES.new(key, AES.MODE_GCM)"),
      example("Vault.java", 'Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");'),
      example("Vault.java", 'Cipher cipher = Cipher.getInstance("RSA/ECB/OAEPWithSHA-256AndMGF1Padding");'),
    ],
  },
  "insecure-temp-file": {
    bad: [
      example("report.php", '<?php file_put_contents(sys_get_temp_dir() . "/report.csv", $rows);'),
      example("lib/report.rb", 'File.write("/tmp/report-#{Process.pid}.csv", rows)'),
    ],
    good: [example("report.php", '<?php file_put_contents(tempnam(sys_get_temp_dir(), "report"), $rows);')],
  },
};
