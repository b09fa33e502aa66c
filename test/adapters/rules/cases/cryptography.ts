// More cases of rules about cryptography, by rule.
import { example } from "../../../../src/adapters/rules/structural/shapes.ts";
import type { Cases } from "../rule-cases.ts";

export const CRYPTOGRAPHY: Cases = {
  "weak-password-hash": {
    bad: [
      example("app/accounts.py", "stored = hashlib.md5(password.encode()).hexdigest()"),
      example("accounts.go", "stored := sha256.Sum256([]byte(password))"),
      example("accounts.php", "<?php $stored = md5($password);"),
      example("lib/accounts.rb", "stored = Digest::SHA1.hexdigest(password)"),
      example("Accounts.java", "String stored = DigestUtils.md5Hex(password);"),
    ],
    good: [
      example("app/accounts.py", "stored = bcrypt.hashpw(password.encode(), bcrypt.gensalt())"),
      example("app/cache.py", "etag = hashlib.md5(body).hexdigest()"),
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
  "insecure-random": {
    bad: [
      example("app/reset.py", 'reset_token = "".join(random.choice(LETTERS) for _ in range(32))'),
      example("reset.go", "token := rand.Intn(1000000)"),
      example("Reset.java", "String token = Long.toHexString(new Random().nextLong());"),
      example("reset.php", "<?php $resetToken = md5(uniqid());"),
      example("lib/reset.rb", "reset_token = rand(10**12).to_s"),
    ],
    good: [
      example("src/retry.ts", "const delay = Math.random() * 1000;"),
      example("app/reset.py", "reset_token = secrets.token_urlsafe(32)"),
      example("app/shuffle.py", "winner = random.choice(entries)"),
    ],
  },
  "timing-unsafe-compare": {
    bad: [
      example("app/webhook.py", "if signature != expected_signature:", "    abort(401)"),
      example("webhook.go", "if signature == expectedSignature { accept() }"),
      example("webhook.php", "<?php if ($signature === $computed) { accept(); }"),
      example("lib/webhook.rb", "head :ok if signature == computed_signature"),
    ],
    good: [
      example("src/webhook.ts", "if (signature === undefined) return reject();"),
      example("app/webhook.py", "if not hmac.compare_digest(signature, expected):", "    abort(401)"),
      example("src/types.ts", 'if (node.kind === "signature") visit(node);'),
      example("app/client.py", "if self.signature_type == SIGNATURE_TYPE_BODY:", "    sign()"),
      example("app/key.py", "def __eq__(self, other):", "    return self.signature == other.signature"),
    ],
  },
};
