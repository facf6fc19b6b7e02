//! The forms of keys and tokens that services give out.
//!
//! A form has words that stand in everything it finds: a line without any of them is not held against its pattern, and
//! the pattern is not even built. The group of the pattern is the secret itself. `sample` tells tests how to make one
//! up; no key stands in this file, and none that could be taken for one.

use std::sync::OnceLock;

use assize_core::finding::Certainty;
use assize_core::finding::Certainty::{Certain, Likely};
use regex::Regex;

/// How the keys of a service look.
pub(super) struct SecretForm {
    /// What it is, with its article.
    pub(super) name: &'static str,
    /// Whether nothing else looks like this.
    pub(super) certainty: Certainty,
    /// One of these stands in every line that has one.
    pub(super) words: &'static [&'static str],
    /// Another word that has to stand in the line, in any case, where the form alone says too little.
    pub(super) beside: Option<&'static str>,
    pattern: &'static str,
    /// How to make one up: texts, and `<a36>` for so many characters of an alphabet: `a` letters and digits, `l` lower case
    /// and digits, `u` upper case and digits, `h` lower hexadecimal, `g` the capitals of Bech32, `d` digits, `w` letters, digits, `_` and `-`.
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests make samples of it"))]
    pub(super) sample: &'static [&'static str],
}

/// Lends the pattern of a form, which is built at its first use.
pub(super) fn pattern(index: usize) -> &'static Regex {
    static BUILT: [OnceLock<Regex>; FORMS.len()] = [const { OnceLock::new() }; FORMS.len()];
    BUILT[index].get_or_init(|| Regex::new(FORMS[index].pattern).expect("valid pattern"))
}

const fn form(
    name: &'static str,
    certainty: Certainty,
    words: &'static [&'static str],
    pattern: &'static str,
    sample: &'static [&'static str],
) -> SecretForm {
    SecretForm { name, certainty, words, beside: None, pattern, sample }
}

/// A form that counts only beside the name of its service.
const fn beside(
    name: &'static str,
    word: &'static str,
    words: &'static [&'static str],
    pattern: &'static str,
    sample: &'static [&'static str],
) -> SecretForm {
    SecretForm { name, certainty: Likely, words, beside: Some(word), pattern, sample }
}

/// Every form. Where two fit, the first counts.
pub(super) const FORMS: &[SecretForm] = &[
    // Clouds and hosting.
    form(
        "an AWS access key",
        Certain,
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        r"\b((?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16})\b",
        &["AK", "IA", "<u16>"],
    ),
    form("an AWS Bedrock key", Certain, &["ABSK"], r"\b(ABSK[A-Za-z0-9+/]{109,}={0,2})", &["AB", "SK", "<a120>"]),
    beside(
        "an AWS secret key",
        "aws",
        &["ecret", "ECRET"],
        r#"(?i)secret[a-z0-9_ -]{0,20}["']?\s*(?::=|=>|[:=])\s*["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)"#,
        &["aws_secret_access_key = \"", "<a40>", "\""],
    ),
    form("an Alibaba Cloud key", Likely, &["LTAI"], r"\b(LTAI[A-Za-z0-9]{17,21})\b", &["LT", "AI", "<a20>"]),
    form(
        "an Azure client secret",
        Certain,
        &["Q~"],
        r#"(?:^|[^A-Za-z0-9_~.-])([A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34})(?:[^A-Za-z0-9_~.-]|$)"#,
        &["'", "<a3>", "8", "Q~", "<a34>", "'"],
    ),
    form(
        "an Azure storage key",
        Certain,
        &["AccountKey="],
        r"AccountKey=([A-Za-z0-9+/]{86}==)",
        &["Account", "Key=", "<a86>", "=="],
    ),
    form("a Google API key", Likely, &["AIza"], r"\b(AIza[0-9A-Za-z_-]{35})", &["AI", "za", "<a35>"]),
    form("a Google OAuth secret", Certain, &["GOCSPX-"], r"\b(GOCSPX-[A-Za-z0-9_-]{28})", &["GOC", "SPX-", "<a28>"]),
    form("a Google access token", Likely, &["ya29."], r"\b(ya29\.[A-Za-z0-9_-]{30,})", &["ya", "29.", "<w60>"]),
    form(
        "a DigitalOcean token",
        Certain,
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        r"\b(do[opr]_v1_[a-f0-9]{64})\b",
        &["do", "p_v1_", "<h64>"],
    ),
    form("a Heroku key", Certain, &["HRKU-"], r"\b(HRKU-AA[A-Za-z0-9_-]{58})", &["HR", "KU-AA", "<a58>"]),
    form(
        "a Fly.io token",
        Certain,
        &["fo1_", "fm1", "fm2_"],
        r"\b(fo1_[A-Za-z0-9_-]{43}|fm1[ar]_[A-Za-z0-9+/]{100,}={0,3}|fm2_[A-Za-z0-9+/]{100,}={0,3})",
        &["fo", "1_", "<a43>"],
    ),
    form("a Netlify token", Certain, &["nfp_"], r"\b(nfp_[A-Za-z0-9]{36})\b", &["nf", "p_", "<a36>"]),
    form("a Scalingo token", Certain, &["tk-us-"], r"\b(tk-us-[A-Za-z0-9_-]{48})", &["tk-", "us-", "<w48>"]),
    form("a Yandex Cloud key", Likely, &["AQVN"], r"\b(AQVN[A-Za-z0-9_-]{35,38})", &["AQ", "VN", "<a36>"]),
    form(
        "a Cloudflare origin key",
        Certain,
        &["v1.0-"],
        r"\b(v1\.0-[a-f0-9]{24}-[a-f0-9]{146})\b",
        &["v1", ".0-", "<h24>", "-", "<h146>"],
    ),
    form(
        "a Supabase token",
        Certain,
        &["sbp_", "sb_secret_"],
        r"\b(sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{31})",
        &["sb", "p_", "<h40>"],
    ),
    form(
        "a PlanetScale token",
        Certain,
        &["pscale_"],
        r"\b(pscale_(?:tkn|pw|oauth)_[A-Za-z0-9=_.-]{32,64})",
        &["pscale", "_tkn_", "<a43>"],
    ),
    form("a Databricks token", Certain, &["dapi"], r"\b(dapi[a-f0-9]{32}(?:-[0-9])?)\b", &["da", "pi", "<h32>"]),
    form(
        "a Tailscale key",
        Certain,
        &["tskey-"],
        r"\b(tskey-(?:auth|api|client|scim|webhook)-[A-Za-z0-9]{10,}-[A-Za-z0-9]{20,})",
        &["ts", "key-auth-", "<a12>", "-", "<a32>"],
    ),
    form("a Pulumi token", Certain, &["pul-"], r"\b(pul-[a-f0-9]{40})\b", &["pu", "l-", "<h40>"]),
    form(
        "a Terraform token",
        Certain,
        &[".atlasv1."],
        r"\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70})",
        &["<a14>", ".atlas", "v1.", "<a64>"],
    ),
    form("a Vault token", Certain, &["hvs.", "hvb."], r"\b(hv[sb]\.[A-Za-z0-9_-]{90,300})", &["hv", "s.", "<w95>"]),
    form(
        "a Doppler token",
        Certain,
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        r"\b(dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44})\b",
        &["dp", ".pt.", "<a43>"],
    ),
    form(
        "a 1Password token",
        Certain,
        &["ops_eyJ"],
        r"\b(ops_eyJ[A-Za-z0-9+/_-]{250,}={0,3})",
        &["ops", "_eyJ", "<a260>"],
    ),
    form(
        "an age key",
        Certain,
        &["AGE-SECRET-KEY-1"],
        r"\b(AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})",
        &["AGE-SECRET", "-KEY-1", "<g58>"],
    ),
    form("an OpenShift token", Certain, &["sha256~"], r"\b(sha256~[A-Za-z0-9_-]{43})", &["sha", "256~", "<a43>"]),
    form(
        "a Dynatrace token",
        Certain,
        &["dt0c01."],
        r"\b(dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64})\b",
        &["dt0", "c01.", "<u24>", ".", "<u64>"],
    ),
    // Code, packages and builds.
    form(
        "a GitHub token",
        Certain,
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"\b(gh[pousr]_[A-Za-z0-9]{36,})\b",
        &["gh", "p_", "<a36>"],
    ),
    form(
        "a GitHub token",
        Certain,
        &["github_pat_"],
        r"\b(github_pat_[A-Za-z0-9_]{60,})\b",
        &["github", "_pat_", "<a82>"],
    ),
    form(
        "a GitLab token",
        Certain,
        &["glpat-", "gldt-", "glrt-", "glft-", "glimt-", "glagent-", "glsoat-", "glcbt-", "glffct-"],
        r"\b(gl(?:pat|dt|rt|ft|imt|agent|soat|cbt|ffct)-[A-Za-z0-9_-]{20,})",
        &["gl", "pat-", "<a20>"],
    ),
    form(
        "a GitLab trigger token",
        Certain,
        &["glptt-", "GR1348941"],
        r"\b(glptt-[a-f0-9]{40}|GR1348941[A-Za-z0-9_-]{20})",
        &["gl", "ptt-", "<h40>"],
    ),
    form(
        "a Bitbucket token",
        Certain,
        &["ATBB"],
        r"\b(ATBB[A-Za-z0-9]{24}[A-F0-9]{8})\b",
        &["AT", "BB", "<a24>", "1A2B3C4D"],
    ),
    form(
        "an Atlassian token",
        Certain,
        &["ATATT3", "ATCTT3"],
        r"\b(AT[AC]TT3[A-Za-z0-9_=-]{60,})",
        &["ATA", "TT3", "<a186>"],
    ),
    form("an npm token", Certain, &["npm_"], r"\b(npm_[A-Za-z0-9]{36})\b", &["np", "m_", "<a36>"]),
    form("a PyPI token", Certain, &["pypi-AgE"], r"\b(pypi-AgE[A-Za-z0-9_-]{40,})", &["py", "pi-AgE", "<a80>"]),
    form("a RubyGems key", Certain, &["rubygems_"], r"\b(rubygems_[a-f0-9]{48})\b", &["ruby", "gems_", "<h48>"]),
    form("a crates.io token", Certain, &["cio"], r"\b(cio[A-Za-z0-9]{32})\b", &["ci", "o", "<a32>"]),
    form("a NuGet key", Certain, &["oy2"], r"\b(oy2[a-z0-9]{43})\b", &["oy", "2", "<l43>"]),
    form("a Clojars token", Certain, &["CLOJARS_"], r"\b(CLOJARS_[a-z0-9]{60})\b", &["CLO", "JARS_", "<l60>"]),
    form(
        "an Artifactory key",
        Certain,
        &["AKCp", "cmVmdGtu"],
        r"\b(AKCp[A-Za-z0-9]{69}|cmVmdGtu[A-Za-z0-9]{56})\b",
        &["AK", "Cp", "<a69>"],
    ),
    form(
        "a Docker token",
        Certain,
        &["dckr_pat_", "dckr_oat_"],
        r"\b(dckr_[po]at_[A-Za-z0-9_-]{27,32})",
        &["dckr", "_pat_", "<a27>"],
    ),
    form("a Buildkite token", Certain, &["bkua_"], r"\b(bkua_[a-z0-9]{40})\b", &["bk", "ua_", "<l40>"]),
    form(
        "a CircleCI token",
        Certain,
        &["CCIPAT_", "CCIPRJ_"],
        r"\b(CCIP(?:AT|RJ)_[A-Za-z0-9]{22}_[a-f0-9]{40})\b",
        &["CCI", "PAT_", "<a22>", "_", "<h40>"],
    ),
    form(
        "a SonarQube token",
        Certain,
        &["sqp_", "squ_", "sqa_"],
        r"\b(sq[pua]_[a-f0-9]{40})\b",
        &["sq", "p_", "<h40>"],
    ),
    form(
        "a Sourcegraph token",
        Certain,
        &["sgp_"],
        r"\b(sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-f0-9]{40})\b",
        &["sg", "p_", "<h40>"],
    ),
    form(
        "a Postman key",
        Certain,
        &["PMAK-"],
        r"\b(PMAK-[a-f0-9]{24}-[a-f0-9]{34})\b",
        &["PM", "AK-", "<h24>", "-", "<h34>"],
    ),
    form("a Prefect key", Certain, &["pnu_", "pnb_"], r"\b(pn[ub]_[A-Za-z0-9]{36})\b", &["pn", "u_", "<a36>"]),
    form("an Infracost key", Certain, &["ico-"], r"\b(ico-[A-Za-z0-9]{32})\b", &["ic", "o-", "<a32>"]),
    form("an Octopus Deploy key", Likely, &["API-"], r"\b(API-[A-Z0-9]{26})\b", &["AP", "I-", "<u26>"]),
    form(
        "a Harness token",
        Certain,
        &["pat.", "sat."],
        r"\b([ps]at\.[A-Za-z0-9_-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20})\b",
        &["pa", "t.", "<a22>", ".", "<h24>", ".", "<a20>"],
    ),
    form("a ReadMe key", Certain, &["rdme_"], r"\b(rdme_[a-z0-9]{70})\b", &["rd", "me_", "<l70>"]),
    // Models.
    form("an Anthropic key", Certain, &["sk-ant-"], r"\b(sk-ant-[A-Za-z0-9_-]{24,})", &["sk-", "ant-api03-", "<a93>"]),
    form("an OpenRouter key", Certain, &["sk-or-v1-"], r"\b(sk-or-v1-[a-f0-9]{64})\b", &["sk-", "or-v1-", "<h64>"]),
    form(
        "an OpenAI key",
        Certain,
        &["sk-"],
        r"\b(sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,})",
        &["sk-", "proj-", "<a48>"],
    ),
    form(
        "a Hugging Face token",
        Certain,
        &["hf_", "api_org_"],
        r"\b((?:hf_|api_org_)[A-Za-z0-9]{34})\b",
        &["hf", "_", "<a34>"],
    ),
    form("a Groq key", Certain, &["gsk_"], r"\b(gsk_[A-Za-z0-9]{52})\b", &["gs", "k_", "<a52>"]),
    form("an xAI key", Certain, &["xai-"], r"\b(xai-[A-Za-z0-9]{80})\b", &["xa", "i-", "<a80>"]),
    form("a Replicate token", Certain, &["r8_"], r"\b(r8_[A-Za-z0-9]{37})\b", &["r8", "_", "<a37>"]),
    form("a Perplexity key", Certain, &["pplx-"], r"\b(pplx-[A-Za-z0-9]{48})\b", &["pp", "lx-", "<a48>"]),
    form(
        "a LangSmith key",
        Certain,
        &["lsv2_"],
        r"\b(lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10})\b",
        &["ls", "v2_pt_", "<h32>", "_", "<h10>"],
    ),
    form("a Tavily key", Certain, &["tvly-"], r"\b(tvly-(?:dev-|prod-)?[A-Za-z0-9]{32})\b", &["tv", "ly-", "<a32>"]),
    // Messages.
    form(
        "a Slack token",
        Certain,
        &["xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-"],
        r"\b(xox[abprs]-[0-9]{6,}-[A-Za-z0-9-]{10,})",
        &["xo", "xb-", "<d10>", "-", "<a24>"],
    ),
    form(
        "a Slack app token",
        Certain,
        &["xapp-", "xoxe"],
        r"\b(xapp-[0-9]-[A-Z0-9]{9,}-[0-9]+-[a-f0-9]{60,}|xoxe(?:\.xox[bp])?-[0-9]-[A-Za-z0-9]{140,})",
        &["xa", "pp-1-", "A12345B6789", "-", "<d13>", "-", "<h64>"],
    ),
    form(
        "a Slack webhook",
        Certain,
        &["hooks.slack"],
        r"(hooks\.slack\.com/(?:services/T[A-Z0-9]{7,}/B[A-Z0-9]{7,}|workflows/T[A-Z0-9]{7,}/A[A-Z0-9]{7,}/[0-9]+)/[A-Za-z0-9]{20,})",
        &["hooks.", "slack.com/services/T", "<u8>", "/B", "<u8>", "/", "<a24>"],
    ),
    form(
        "a Discord webhook",
        Certain,
        &["/api/webhooks/"],
        r"(discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,})",
        &["discord", ".com/api/webhooks/", "<d18>", "/", "<a68>"],
    ),
    beside(
        "a Discord token",
        "discord",
        &["discord", "Discord", "DISCORD"],
        r"\b([MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38})\b",
        &["discord_token = '", "M", "<a24>", ".", "<a6>", ".", "<a32>", "'"],
    ),
    form(
        "a Teams webhook",
        Certain,
        &["webhook.office.com"],
        r"(webhook\.office\.com/webhookb2/[a-f0-9-]{36}@[a-f0-9-]{36}/IncomingWebhook/[a-f0-9]{32}/[a-f0-9-]{36})",
        &["webhook.office", ".com/webhookb2/", "<h36>", "@", "<h36>", "/IncomingWebhook/", "<h32>", "/", "<h36>"],
    ),
    form(
        "a Telegram bot token",
        Certain,
        &[":AA"],
        r"\b([0-9]{8,10}:AA[A-Za-z0-9_-]{33})(?:[^A-Za-z0-9_-]|$)",
        &["<d9>", ":A", "A", "<a33>"],
    ),
    form(
        "a Zapier webhook",
        Likely,
        &["hooks.zapier.com"],
        r"(hooks\.zapier\.com/hooks/catch/[0-9]{5,}/[a-z0-9]{6,})",
        &["hooks.", "zapier.com/hooks/catch/", "<d7>", "/", "<l8>"],
    ),
    form("a Twilio key", Likely, &["SK"], r"\b(SK[0-9a-f]{32})\b", &["S", "K", "<h32>"]),
    form(
        "a SendGrid key",
        Certain,
        &["SG."],
        r"\b(SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{40,46})",
        &["S", "G.", "<a22>", ".", "<a43>"],
    ),
    form(
        "a Brevo key",
        Certain,
        &["xkeysib-"],
        r"\b(xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16})\b",
        &["xkey", "sib-", "<h64>", "-", "<a16>"],
    ),
    form("a Mailgun key", Likely, &["key-"], r"\b(key-[0-9a-f]{32})\b", &["ke", "y-", "<h32>"]),
    beside(
        "a Mailchimp key",
        "mailchimp",
        &["-us"],
        r"\b([0-9a-f]{32}-us[0-9]{1,2})\b",
        &["mailchimp_key = '", "<h32>", "-us", "12'"],
    ),
    form("a Facebook token", Likely, &["EAAM", "EAAC"], r"\b(EAA[MC][A-Za-z0-9]{100,})\b", &["EA", "AM", "<a120>"]),
    form(
        "a Firebase server key",
        Certain,
        &[":APA91b"],
        r"\b(AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{134})",
        &["AA", "AA", "<a7>", ":APA", "91b", "<a134>"],
    ),
    // Money.
    form(
        "a Stripe live key",
        Certain,
        &["sk_live_", "rk_live_"],
        r"\b([sr]k_live_[A-Za-z0-9]{20,})\b",
        &["sk", "_live_", "<a24>"],
    ),
    form("a Stripe webhook secret", Certain, &["whsec_"], r"\b(whsec_[A-Za-z0-9+/]{32,})", &["wh", "sec_", "<a32>"]),
    form(
        "a Square token",
        Certain,
        &["sq0atp-", "sq0csp-"],
        r"\b(sq0atp-[A-Za-z0-9_-]{22}|sq0csp-[A-Za-z0-9_-]{43})",
        &["sq0", "atp-", "<a22>"],
    ),
    form(
        "a Shopify token",
        Certain,
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        r"\b(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})\b",
        &["shp", "at_", "<h32>"],
    ),
    form(
        "a Braintree token",
        Certain,
        &["access_token$production$"],
        r"(access_token\$production\$[0-9a-z]{16}\$[0-9a-f]{32})",
        &["access_token", "$production$", "<l16>", "$", "<h32>"],
    ),
    form(
        "a Plaid token",
        Certain,
        &["access-production-"],
        r"\b(access-production-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b",
        &["access-", "production-", "<h8>", "-", "<h4>", "-", "<h4>", "-", "<h4>", "-", "<h12>"],
    ),
    form(
        "a Flutterwave key",
        Certain,
        &["FLWSECK-"],
        r"\b(FLWSECK-[a-f0-9]{32}-X)\b",
        &["FLW", "SECK-", "<h32>", "-X"],
    ),
    form("an EasyPost key", Certain, &["EZAK"], r"\b(EZAK[A-Za-z0-9]{54})\b", &["EZ", "AK", "<a54>"]),
    form(
        "a Shippo token",
        Certain,
        &["shippo_live_"],
        r"\b(shippo_live_[a-f0-9]{40})\b",
        &["shippo", "_live_", "<h40>"],
    ),
    form(
        "a Duffel token",
        Certain,
        &["duffel_live_"],
        r"\b(duffel_live_[A-Za-z0-9_=-]{43})",
        &["duffel", "_live_", "<a43>"],
    ),
    // Work and watching.
    form(
        "a Notion token",
        Certain,
        &["secret_", "ntn_"],
        r"\b(secret_[A-Za-z0-9]{43}|ntn_[0-9]{11}[A-Za-z0-9]{35})\b",
        &["nt", "n_", "<d11>", "<a35>"],
    ),
    form("a Linear key", Certain, &["lin_api_"], r"\b(lin_api_[A-Za-z0-9]{40})\b", &["lin", "_api_", "<a40>"]),
    beside(
        "an Airtable token",
        "airtable",
        &["airtable", "Airtable", "AIRTABLE"],
        r"\b(pat[A-Za-z0-9]{14}\.[a-f0-9]{64})\b",
        &["airtable = '", "pa", "t", "<a14>", ".", "<h64>", "'"],
    ),
    form("a Figma token", Certain, &["figd_"], r"\b(figd_[A-Za-z0-9_-]{40,})", &["fig", "d_", "<a43>"]),
    form("a Frame.io token", Certain, &["fio-u-"], r"\b(fio-u-[A-Za-z0-9_=-]{64})", &["fio", "-u-", "<a64>"]),
    form("a Typeform token", Certain, &["tfp_"], r"\b(tfp_[A-Za-z0-9_.=-]{59})", &["tf", "p_", "<a59>"]),
    form("a Contentful token", Certain, &["CFPAT-"], r"\b(CFPAT-[A-Za-z0-9_-]{43})", &["CF", "PAT-", "<a43>"]),
    form("a Dropbox token", Certain, &["sl."], r"\b(sl\.(?:u\.)?[A-Za-z0-9_=-]{130,})", &["s", "l.", "<a140>"]),
    form("an Adobe secret", Certain, &["p8e-"], r"\b(p8e-[A-Za-z0-9]{32})\b", &["p8", "e-", "<a32>"]),
    form(
        "a MaxMind key",
        Certain,
        &["_mmk"],
        r"\b([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)\b",
        &["<a6>", "_", "<a29>", "_m", "mk"],
    ),
    form(
        "a Mapbox secret token",
        Certain,
        &["sk.eyJ"],
        r"\b(sk\.eyJ[A-Za-z0-9_-]{60,}\.[A-Za-z0-9_-]{20,})",
        &["sk", ".eyJ", "<a70>", ".", "<a22>"],
    ),
    form(
        "a Grafana token",
        Certain,
        &["glsa_", "glc_eyJ"],
        r"\b(glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_eyJ[A-Za-z0-9+/]{40,400}={0,3})",
        &["gl", "sa_", "<a32>", "_", "<h8>"],
    ),
    form(
        "a Sentry token",
        Certain,
        &["sntrys_", "sntryu_"],
        r"\b(sntrys_eyJ[A-Za-z0-9+/=_-]{60,}|sntryu_[a-f0-9]{64})",
        &["sn", "tryu_", "<h64>"],
    ),
    form(
        "a New Relic key",
        Certain,
        &["NRAK-", "NRII-"],
        r"\b(NRAK-[A-Z0-9]{27}|NRII-[A-Za-z0-9_-]{32})\b",
        &["NR", "AK-", "<u27>"],
    ),
    beside(
        "a LaunchDarkly key",
        "launchdarkly",
        &["sdk-", "api-"],
        r"\b((?:sdk|api)-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\b",
        &["launchdarkly = '", "sd", "k-", "<h8>", "-", "<h4>", "-", "<h4>", "-", "<h4>", "-", "<h12>", "'"],
    ),
    beside(
        "an Okta token",
        "okta",
        &["okta", "Okta", "OKTA"],
        r#"(?:^|["'\s=:])(00[A-Za-z0-9_-]{40})(?:["'\s]|$)"#,
        &["okta_token = '", "0", "0", "<a40>", "'"],
    ),
    form("an Intra42 secret", Certain, &["s-s4t2"], r"\b(s-s4t2(?:ud|af)-[a-f0-9]{64})\b", &["s-s4", "t2ud-", "<h64>"]),
    form(
        "a JSON Web Token",
        Likely,
        &["eyJ"],
        r"\b(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,})",
        &["ey", "J", "<a20>", ".ey", "J", "<a30>", ".", "<a40>"],
    ),
];
