// Tokens by their form, beyond secretlint's preset. The forms are published (vendors' documents,
// GitHub secret scanning, gitleaks 8.25 to compare). Where secretlint has one, ours finds it in
// encoded texts, and in more variants.

/** One published token format. */
export interface TokenFormat {
  /** Its common name: "Datadog API key". */
  readonly label: string;
  /** One of these texts occurs in every such token: a cheap test before the pattern runs. */
  readonly hints: readonly string[];
  /** The whole match is the secret. Global, every quantifier bounded. */
  readonly pattern: RegExp;
}

const START = "(?<![A-Za-z0-9])";
const END = "(?![A-Za-z0-9])";

function format(label: string, hints: readonly string[], body: string): TokenFormat {
  return { label, hints, pattern: new RegExp(`${START}(?:${body})${END}`, "g") };
}

const HEX = "[a-fA-F0-9]";
const WORD = "[A-Za-z0-9_-]";
const UUID = `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`;

/** A DER sequence whose first member is a version, in base64: 30 82 LL LL 02 01 vv …. */
const KEY_HEAD = "MI[I-L][A-Za-z0-9+/]{2}[AQgw]IB";
/** The rest of a key, on one line, or on several with an indent; the last is shorter. */
const KEY_BODY =
  "[A-Za-z0-9+/]{16,24000}(?:\\s{1,12}[A-Za-z0-9+/]{40,200}){0,400}(?:\\s{1,12}[A-Za-z0-9+/]{1,80}={1,2})?={0,2}";

/** Every format, in an order that decides the label if two overlap. */
export const TOKEN_FORMATS: readonly TokenFormat[] = [
  // Models.
  format("OpenAI key", ["T3BlbkFJ"], `sk-(?:(?:proj|svcacct|admin)-)?${WORD}{20,100}T3BlbkFJ${WORD}{20,100}`),
  format("Anthropic key", ["sk-ant-"], `sk-ant-(?:api|admin|oat)\\d{2}-${WORD}{80,110}`),
  format("Hugging Face token", ["hf_", "api_org_"], "(?:hf|api_org)_[A-Za-z]{34,37}"),
  format("Perplexity key", ["pplx-"], "pplx-[a-zA-Z0-9]{48}"),
  format("Groq key", ["gsk_"], "gsk_[A-Za-z0-9]{52}"),
  format("Replicate token", ["r8_"], "r8_[A-Za-z0-9]{37}"),
  format("Linear key", ["lin_"], "lin_(?:api|oauth)_[A-Za-z0-9]{40,64}"),
  format("Notion token", ["ntn_"], "ntn_[0-9]{11}[A-Za-z0-9]{35}"),
  // Clouds.
  format("AWS access key", ["AKIA", "ASIA", "ABIA", "ACCA", "A3T"], "(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}"),
  format("AWS Bedrock key", ["ABSK"], "ABSK[A-Za-z0-9+/]{109,269}={0,2}"),
  format("AWS Bedrock key", ["bedrock-api-key-"], "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[A-Za-z0-9+/=]{0,400}"),
  format("Azure client secret", ["Q~"], "[a-zA-Z0-9_~.]{3}\\dQ~[a-zA-Z0-9_~.-]{31,34}"),
  format("Google API key", ["AIza"], "AIza[A-Za-z0-9_-]{35}"),
  format("Google OAuth client secret", ["GOCSPX-"], `GOCSPX-${WORD}{28}`),
  format("Google OAuth token", ["ya29."], `ya29\\.${WORD}{30,400}`),
  format("Alibaba access key", ["LTAI"], "LTAI[A-Za-z0-9]{20}"),
  format("DigitalOcean token", ["_v1_"], `do[opr]_v1_${HEX}{64}`),
  format("Heroku API key", ["HRKU-"], `HRKU-AA${WORD}{58}`),
  format("Fly.io token", ["fo1_", "fm1", "fm2_"], `fo1_${WORD}{43}|fm(?:1[ar]|2)_[a-zA-Z0-9+/]{100,800}={0,3}`),
  format("Cloudflare token", ["cfk_", "cfut_", "cfat_"], "cf(?:k|ut|at)_[A-Za-z0-9]{40}[0-9a-f]{8}"),
  format("Cloudflare origin CA key", ["v1.0-"], `v1\\.0-${HEX}{24}-${HEX}{146}`),
  format("Supabase token", ["sbp_"], `sbp_${HEX}{40}`),
  format("PlanetScale credential", ["pscale_"], "pscale_(?:tkn|oauth|pw)_[\\w=.-]{32,64}"),
  format("Scalingo token", ["tk-us-"], `tk-us-${WORD}{48}`),
  format("Pulumi token", ["pul-"], `pul-${HEX}{40}`),
  format("Terraform Cloud token", [".atlasv1."], "[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,70}"),
  format("Doppler token", ["dp."], "dp\\.(?:pt|st|ct|scim|audit|sa)\\.[A-Za-z0-9.]{40,60}"),
  format(
    "1Password secret key",
    ["A3-"],
    "A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}",
  ),
  format("1Password token", ["ops_eyJ"], "ops_eyJ[A-Za-z0-9+/]{250,4000}={0,3}"),
  format("age secret key", ["AGE-SECRET-KEY-1"], "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
  format("Yandex Cloud key", ["AQVN"], `AQVN${WORD}{35,38}`),
  format("OpenShift token", ["sha256~"], `sha256~${WORD}{43}`),
  // Development.
  format("GitHub token", ["ghp_", "gho_", "ghu_", "ghr_"], "gh[pour]_[0-9a-zA-Z]{36,251}"),
  // `ghs_APPID_JWT` since 2026: docs.github.com, "Generating an installation access token".
  format("GitHub token", ["ghs_"], "ghs_[A-Za-z0-9._-]{35,4000}[A-Za-z0-9_-]"),
  format("GitHub token", ["github_pat_"], "github_pat_\\w{82}"),
  format(
    "GitLab token",
    ["glpat-", "gldt-", "glrt-", "glft-", "glsoat-", "glffct-", "glptt-", "glcbt-", "glimt-", "glagent-", "gloas-"],
    `gl(?:pat|dt|rt|ft|soat|ffct)-${WORD}{20,300}(?:\\.[0-9a-z]{9})?|glptt-${HEX}{40}|glcbt-[0-9a-zA-Z]{1,5}_${WORD}{20}|glimt-${WORD}{25}|glagent-${WORD}{50}|gloas-${WORD}{64}`,
  ),
  format("GitLab runner token", ["GR1348941"], `GR1348941${WORD}{20}`),
  format("Atlassian token", ["ATATT3", "ATCTT3", "ATBB"], `AT[AC]TT3${WORD}{50,400}=${HEX}{8}|ATBB[A-Za-z0-9]{32}`),
  format("Artifactory key", ["AKCp", "cmVmd"], "AKCp[A-Za-z0-9]{69}|cmVmd[A-Za-z0-9]{59}"),
  format("PyPI token", ["pypi-AgE"], `pypi-AgE${WORD}{50,1000}`),
  format("npm token", ["npm_"], "npm_[A-Za-z0-9]{36}"),
  format("RubyGems token", ["rubygems_"], `rubygems_${HEX}{48}`),
  format("NuGet key", ["oy2"], "oy2[a-z0-9]{43}"),
  format("Clojars token", ["CLOJARS_"], "CLOJARS_[A-Za-z0-9]{60}"),
  format("Docker Hub token", ["dckr_"], `dckr_(?:pat|oat)_${WORD}{27,32}`),
  format("Postman key", ["PMAK-"], `PMAK-${HEX}{24}-${HEX}{34}`),
  format("Sourcegraph token", ["sgp_"], `sgp_(?:(?:${HEX}{16}|local)_)?${HEX}{40}`),
  format(
    "Sentry token",
    ["sntrys_", "sntryu_"],
    `sntryu_${HEX}{64}|sntrys_eyJ[A-Za-z0-9+/=]{20,600}_[A-Za-z0-9+/]{43}`,
  ),
  format("Prefect key", ["pnu_"], "pnu_[a-zA-Z0-9]{36}"),
  format("Readme key", ["rdme_"], "rdme_[a-z0-9]{70}"),
  format("Octopus Deploy key", ["API-"], "API-[A-Z0-9]{26}"),
  format("Harness key", ["pat.", "sat."], `[ps]at\\.${WORD}{22}\\.[a-zA-Z0-9]{24}\\.[a-zA-Z0-9]{20}`),
  format("Infracost key", ["ico-"], "ico-[a-zA-Z0-9]{32}"),
  format("New Relic key", ["NRAK-", "NRII-", "NRJS-"], "NRAK-[A-Za-z0-9]{27}|NRII-[A-Za-z0-9-]{32}|NRJS-[a-f0-9]{19}"),
  format("Dynatrace token", ["dt0c01.", "dt0s"], "dt0(?:c01|s\\d{2})\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}"),
  format("Grafana key", ["eyJrIjoi"], "eyJrIjoi[A-Za-z0-9]{70,400}={0,3}"),
  format("ClickHouse key", ["4b1d"], "4b1d[A-Za-z0-9]{38}"),
  format("Vault token", ["hvs.", "hvb.", "hvr."], `hv[sbr]\\.${WORD}{90,300}`),
  format("Vercel token", ["vca_", "vci_", "vcp_", "vcr_", "vck_"], "vc[aiprk]_[A-Za-z0-9]{56}"),
  format("Databricks token", ["dapi"], `dapi${HEX}{32}(?:-\\d)?`),
  format("Grafana token", ["glc_", "glsa_"], `glc_[A-Za-z0-9+/]{32,400}={0,2}|glsa_[A-Za-z0-9]{32}_${HEX}{8}`),
  format("GitLab session", ["_gitlab_session="], "_gitlab_session=[0-9a-z]{32}"),
  // Services.
  format(
    "Slack token",
    ["xoxa", "xoxb", "xoxe", "xoxo", "xoxp", "xoxr", "xoxs", "xapp-"],
    "xox[abeoprs](?:\\.xox[bp])?-(?=[A-Za-z0-9-]{0,60}\\d{6})[A-Za-z0-9-]{10,200}|xapp-\\d-[A-Z0-9]{5,20}-\\d{5,20}-[a-z0-9]{20,100}",
  ),
  format(
    "Slack webhook",
    ["hooks.slack.com/"],
    "hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{30,90}",
  ),
  format(
    "Microsoft Teams webhook",
    ["webhook.office.com"],
    `[a-z0-9]{1,60}\\.webhook\\.office\\.com/webhookb2/${UUID}@${UUID}/IncomingWebhook/[a-z0-9]{32}/${UUID}`,
  ),
  format("Discord webhook", ["/api/webhooks/"], `discord(?:app)?\\.com/api/webhooks/\\d{17,20}/${WORD}{60,80}`),
  format("Discord bot token", ["."], `[MNO][A-Za-z0-9_-]{23,25}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,38}`),
  format("Telegram bot token", [":AA"], `\\d{8,10}:AA${WORD}{33}`),
  format("Stripe key", ["k_live_", "k_test_", "k_prod_"], "[rs]k_(?:live|test|prod)_[a-zA-Z0-9]{10,99}"),
  format("Stripe webhook secret", ["whsec_"], "whsec_[A-Za-z0-9+/]{32,64}={0,2}"),
  format("Square token", ["EAAA", "sq0"], `(?:EAAA|sq0(?:atp|csp)-)${WORD}{22,60}`),
  format("Shopify token", ["shpat_", "shpca_", "shppa_", "shpss_"], "shp(?:at|ca|pa|ss)_[A-Za-z0-9]{32,64}"),
  format("Facebook token", ["EAAM", "EAAC"], "EAA[MC][A-Za-z0-9]{100,400}"),
  format("Twilio key", ["SK"], `SK${HEX}{32}`),
  format("SendGrid key", ["SG."], "SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}"),
  format("Brevo key", ["xkeysib-"], `xkeysib-${HEX}{64}-[A-Za-z0-9]{16}`),
  format("Mailchimp key", ["-us"], `${HEX}{32}-us\\d{1,2}`),
  format("Mailgun key", ["key-"], `(?:pub)?key-${HEX}{32}`),
  format("Airtable token", ["pat"], `pat[A-Za-z0-9]{14}\\.${HEX}{64}`),
  format("Asana or Adobe secret", ["p8e-"], "p8e-[A-Za-z0-9]{32}"),
  format("Duffel token", ["duffel_"], "duffel_(?:test|live)_[A-Za-z0-9_=-]{43}"),
  format("EasyPost key", ["EZAK", "EZTK"], "EZ[AT]K[A-Za-z0-9]{54}"),
  format("Flutterwave key", ["FLW"], "FLW(?:SECK|PUBK)(?:_TEST)?-[a-h0-9A-H]{12,32}(?:-X)?"),
  format("Frame.io token", ["fio-u-"], `fio-u-[A-Za-z0-9_=-]{64}`),
  format("Intra42 secret", ["s-s4t2"], `s-s4t2(?:ud|af)-${HEX}{64}`),
  format("MaxMind key", ["_mmk"], "[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk"),
  format("SettleMint token", ["sm_"], "sm_[aps]at_[a-zA-Z0-9]{16}"),
  format("Shippo token", ["shippo_"], `shippo_(?:live|test)_${HEX}{40}`),
  format("Typeform token", ["tfp_"], "tfp_[A-Za-z0-9_.=-]{59}"),
  format("Mapbox secret token", ["sk.eyJ"], "sk\\.eyJ[A-Za-z0-9_-]{60,200}\\.[A-Za-z0-9_-]{22}"),
  format(
    "Authress key",
    [".acc"],
    "(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\\.[A-Za-z0-9]{4,6}\\.acc[_-][A-Za-z0-9-]{10,32}\\.[A-Za-z0-9+/_=-]{30,120}",
  ),
  format("Twitter bearer token", ["AAAAAAAAAAAAAAAAAAAAAA"], "A{22}[a-zA-Z0-9%]{80,100}"),
  format("JSON Web Token", ["eyJ"], "eyJ[A-Za-z0-9_-]{10,600}\\.eyJ[A-Za-z0-9_-]{10,2000}\\.[A-Za-z0-9_-]{16,800}"),
  // Keys in base64 without a header, by the beginnings of their DER encodings (RFC 5958, 7292,
  // 8017). A key store's password is often published: the file is the key.
  format("private key", ["IBADANBgkqhkiG9w0BAQEFAA"], `${KEY_HEAD}ADANBgkqhkiG9w0BAQEFAA${KEY_BODY}`),
  format("private key", ["IBAAKC"], `${KEY_HEAD}AAKC${KEY_BODY}`),
  format("private key", ["MIGHAgEAMBMGByqGSM49AgEG"], `MIGHAgEAMBMGByqGSM49AgEG${KEY_BODY}`),
  format("PKCS12 key store", ["IBAzC"], `${KEY_HEAD}AzC[A-D]${KEY_BODY}`),
];

/** A hint that does not occur by chance in random base64 or hexadecimal digits. */
const DISTINCTIVE = /^(?=.{3})(?=.*[^A-Za-z0-9])|^.{6}|^xox|^A(?:[BKS]IA|CCA|3T)$|^dapi$/;

/** Without their boundaries: for texts in which words were joined. */
export const UNBOUNDED_FORMATS: readonly TokenFormat[] = TOKEN_FORMATS.filter(({ hints }) =>
  hints.every((hint) => DISTINCTIVE.test(hint)),
).map(({ label, hints, pattern }) => ({
  label,
  hints,
  pattern: new RegExp(pattern.source.slice(START.length, -END.length), pattern.flags),
}));
