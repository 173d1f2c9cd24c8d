//! The table of texts that speak to a program that reads instead of to people. docs/filter.md says what each class means.

use super::check::{is_no_public_key, is_not_denied};
use super::command::sends_credentials;
use super::scan::{Edge, Place, Rule, always};

const fn phrase(
    class: &'static str,
    anchors: &'static [&'static str],
    (before, after): (usize, usize),
    pattern: &'static str,
) -> Rule {
    Rule { class, anchors, pattern, before, after, edge: Edge::Open, check: always }
}

const fn checked(rule: Rule, check: fn(&Place<'_>) -> bool) -> Rule {
    Rule { check, ..rule }
}

/// What has to stand in a comment or in an element that nobody sees, besides the phrases below, to make it a message to a program.
pub(super) const ADDRESSED: &str = concat!(
    r"\b(?:note|instructions?|message|attention|hey|dear|hello|hi|reminder)~(?:(?:to|for)~)?(?:all~|any~|the~){0,2}",
    r"(?:ai|llm|assistant|agents?|claude|copilot|chatgpt|gemini|codex|language~models?)s?\b",
    r"|\bif~you(?:~are|'re)~(?:an?~|the~)?(?:ai|llm|large~language|language~model|assistant|agent|bot|claude|copilot)\b",
    r"|\A[^\w<]{0,8}(?:ai|llm|assistant|agent|claude|copilot|chatgpt|gemini|codex|system|developer|admin(?:istrator)?)",
    r"(?:~(?:prompt|message|note|override|instructions?|agents?|assistants?|reviewers?))?\s{0,4}[:,]\s[^\x00]{0,200}?",
    r"\b(?:ignore|disregard|forget|you~(?:must|are|should|will)|do~not|approve|merge|execute|run|reveal|print|send|delete|override|never)\b",
    r"|\b(?:secretly|covertly|silently)~(?:approve|merge|run|execute|add|send|post|insert|delete)\b",
    r"|\b(?:ignore|disregard|forget|override|bypass)~(?:all~|any~|the~){0,2}(?:previous|prior|above|earlier|your|system|safety)~",
    r"(?:\w+~){0,2}(?:instructions?|prompts?|directives?|rules|guidelines|constraints|restrictions)\b",
);

/// Every phrase. One text may have several.
pub(super) static PHRASES: &[Rule] = &[
    checked(
        phrase(
            "ignore-instructions",
            &["ignore", "disregard", "forget", "override", "bypass"],
            (1, 200),
            concat!(
                r"\b(?:ignore|disregard|forget|override|bypass)~",
                r"(?:(?:all|any|every|everything|of|the|these|those|my|and|or|about|in|from)~){0,5}",
                r"(?:(?:previous|prior|preceding|above|earlier|foregoing|existing|initial|original)(?:ly)?~",
                r"(?:(?:and|or|previous|prior|above|earlier|system|developer|given|safety|security|user|ai|set|of)~){0,4}",
                r"(?:instructions?|prompts?|directives?|guidelines|guardrails|programming|orders|training)\b",
                r"|your~(?:(?:previous|prior|original|initial|existing|current|own|system|safety|core|developer|default)~){0,3}",
                r"(?:instructions?|prompts?|directives?|guidelines|guardrails|constraints|programming|orders|training|rules|restrictions)\b)",
            ),
        ),
        is_not_denied,
    ),
    checked(
        phrase(
            "ignore-instructions",
            &["ignore", "disregard", "forget"],
            (1, 200),
            concat!(
                r"\b(?:ignore|disregard|forget)~(?:all~|everything~|anything~|whatever~|the~|that~|which~|is~|was~|of~){0,4}",
                r"(?:(?:above|before~this|prior)[\s,.;:]{1,4}and~(?:instead|say|print|output|write|reply|respond|tell|approve|merge|run|execute)\b",
                r"|you~(?:know|were~told|have~been~told|have~read|were~instructed|have~been~instructed)\b",
                r"|you've~been~(?:told|instructed)\b|instructions~(?:above|before~this|you~(?:were|have~been)~given)\b)",
            ),
        ),
        is_not_denied,
    ),
    checked(
        phrase(
            "system-prompt-override",
            &["system"],
            (64, 160),
            concat!(
                r"\bsystem~(?:prompt~)?override~?[:\]!]",
                r"|\b(?:your|the)~(?:new|updated|real|actual|true)~system~(?:prompt|message|instructions?)~?(?::|is\b|are\b)",
                r"|^\W{0,8}new~system~(?:prompt|message|instructions?)~?:",
                r"|\b(?:replace|overwrite|discard|override|change|update)~(?:your|the~current|the~existing|the~original)~system~",
                r"(?:prompt|message|instructions?)~(?:with|to)~?(?::|the~following\b|this\b)",
                r"|(?:^|[.!?:;>(])\W{0,6}(?:please~)?(?:ignore|disregard|forget)~(?:the|your|any|all)~(?:\w+~){0,2}system~",
                r"(?:prompt|message|instruction)s?\b",
                r"|^\W{0,8}system~?(?:message|prompt|notice)?\W{0,3}:\W{0,4}",
                r"(?:you~are~now|ignore|disregard|forget|from~now~on|override|new~instructions)\b",
            ),
        ),
        is_not_denied,
    ),
    phrase(
        "act-no-restrictions",
        &[
            "restriction",
            "limitation",
            "guardrail",
            "unrestricted",
            "jailbr",
            "unfiltered",
            "uncensored",
            "constraint",
            "guideline",
            "no rules",
            "without rules",
            "no limits",
            "bound by",
        ],
        (120, 60),
        concat!(
            r"\bact~as~(?:if|though)~you~(?:have|had|are~under)~no~(?:\w+~){0,2}(?:restrictions?|limitations?|limits?|rules?|constraints?|guidelines?|guardrails)\b",
            r"|\byou~(?:now~)?(?:have|are~under)~no~(?:more~|ethical~|moral~|safety~|content~){0,2}(?:restrictions|limitations|guardrails|guidelines|constraints|rules)\b",
            r"|\b(?:act|behave|respond|answer|reply)~(?:as~an?~|like~an?~)?(?:[\w,]+~){0,6}(?:without|with~no|free~of|free~from)~",
            r"(?:any~|your~|all~)?(?:ethical~|moral~|safety~|content~){0,2}(?:restrictions?|limitations?|guardrails|filters|guidelines|rules|constraints)\b",
            r"|\byou~are~(?:now~)?(?:an?~)?(?:unrestricted|jailbroken|unfiltered|uncensored)\b",
            r"|\b(?:enter|enable|activate|switch~to)~(?:dan|jailbreak|unrestricted)~mode\b",
            r"|\byou~are~(?:now~)?(?:no~longer|not)~bound~by\b",
        ),
    ),
    phrase(
        "do-not-tell",
        &["tell", "inform", "alert", "warn", "mention", "reveal", "disclose", "report", "repeat"],
        (32, 140),
        concat!(
            r"\b(?:do~not|don'?t|don\xe2\x80\x99t|never|must~not|should~not)~(?:ever~)?(?:tell|inform|alert|warn)~(?:the~)?",
            r"(?:user|users|human|humans|maintainers?|reviewers?|owner|author|anyone|anybody|operator|developers?)~",
            r"(?:that~you\b|about~(?:this|these|it|that|your|the~above|what)\b|of~(?:this|these|your)\b|what~you\b|anything\b)",
            r"|(?:^|[.!?:;,>(]|\band\b|\balso\b|\bplease\b)[\s*_`>]{0,6}(?:do~not|don'?t|never)~(?:tell|inform|reveal|mention|disclose)~(?:\w+~){0,3}?",
            r"(?:to~)?(?:the~)?(?:user|human)s?[ ]?(?:[.!]|$|\z)",
            r"|\b(?:do~not|don'?t|don\xe2\x80\x99t|never|must~not|should~not)~(?:ever~)?(?:mention|reveal|disclose|report)~",
            r"(?:this|it|that|these|any~of~this|the~above)(?:~\w+){0,3}?~to~(?:the~)?(?:user|users|human|maintainers?|reviewers?|anyone|owner|author)\b",
            r"|\b(?:do~not|don'?t|don\xe2\x80\x99t|never|must~not)~(?:reveal|disclose|mention|repeat)~(?:these|this|your|the~(?:above|hidden|secret))~",
            r"(?:hidden~|secret~|system~){0,2}(?:instructions?|prompt|directive)\b",
        ),
    ),
    phrase(
        "new-instructions",
        &[
            "new instruction",
            "new directive",
            "new task",
            "new goal",
            "new objective",
            "new role",
            "new orders",
            "new mission",
        ],
        (12, 120),
        concat!(
            r"\byour~new~(?:instructions?|directives?|orders|task|goal|objective|mission|role)~?(?:is\b|are\b|:)",
            r"|\bnew~(?:instructions?|directives?)\s*:\s*(?:you\b|ignore|disregard|forget|from~now|do~not|don't|never|always|",
            r"delete|run\b|execute|send|print|reveal|output|approve|merge|post|comment|push|upload)",
            r"|\b(?:these|my|following)~new~(?:instructions|directives|orders)~instead\b",
        ),
    ),
    phrase(
        "new-instructions",
        &["from now on"],
        (1, 120),
        concat!(
            r"\bfrom~now~on[\s,:]{1,4}(?:you~(?:are~(?:an?|the|dan)\b|will~(?:act|behave|obey)\b|must~(?:act|obey|ignore)\b|only~(?:obey|follow)\b)",
            r"|ignore~(?:all|any|the|your)\b|obey\b)",
        ),
    ),
    phrase(
        "pretend-you-are",
        &["pretend", "roleplay as", "role-play as"],
        (1, 140),
        concat!(
            r"\b(?:pretend~(?:that~)?you(?:~are|'re)|role-?play~as)~(?:now~)?(?:[\w-]+~){0,5}?",
            r"(?:unrestricted|admin|administrator|root|dan|jailbroken|evil|hacker|maintainer|owner|human|unfiltered|uncensored|",
            r"ai|assistant|agent|model|chatbot|no~longer|system)\b",
        ),
    ),
    checked(
        phrase(
            "curl-with-creds",
            &["curl", "wget"],
            (0, 700),
            r"(?:curl|wget)\s(?:[^\n\\|]|\\[^\n]|\\\n|\|\|?){1,690}",
        ),
        sends_credentials,
    ),
    checked(
        phrase(
            "cat-secrets-file",
            &[
                "/.ssh/id_",
                "/.aws/credentials",
                "/.netrc",
                "/.pgpass",
                "/.git-credentials",
                "/.docker/config.json",
                "/.kube/config",
                "/.config/gh/hosts.yml",
                "/.env",
                "/etc/shadow",
                "/environ",
            ],
            (64, 60),
            concat!(
                r"\b(?:cat|less|more|head|tail|tac|nl|strings|xxd|base64|type|get-content)\s+(?:-[\w-]+\s+(?:\d+\s+)?){0,3}[\x22'`]?",
                r"(?:(?:\x7e|\$\{?HOME\}?|/home/[\w.-]+|/root|/Users/[\w.-]+)/\.(?:ssh/id_[a-z0-9_]+(?:\.pub)?|aws/credentials|netrc|pgpass|git-credentials|",
                r"docker/config\.json|kube/config|config/gh/hosts\.yml|env)\b|/etc/shadow\b|/proc/(?:self|1|\$\$|\$PPID)/environ\b)",
            ),
        ),
        is_no_public_key,
    ),
    phrase(
        "env-exfil-printenv",
        &["printenv", "env |", "env|", "env)", "env`", "export -p"],
        (220, 260),
        concat!(
            r"(?:^|[\s;&|(`$])(?:printenv|env|export~-p)[ ]*(?:\|[^|\n]{0,80}){0,3}\|[ ]*(?:sudo~)?",
            r"(?:curl|wget|nc|ncat|netcat|openssl|gh~(?:issue|pr|gist|api)|mail|sendmail|telnet|xxd|http)\b",
            r"|\b(?:curl|wget|nc|ncat|netcat|gh~(?:issue|pr|gist|api))\s[^\n]{0,200}(?:\$\(|`)[ ]*(?:printenv|env|export~-p)",
            r"(?:[ ]+\w*(?:TOKEN|SECRET|KEY|PASSWORD)\w*)?[ ]*(?:\||\)|`)",
        ),
    ),
    phrase(
        "env-exfil-printenv",
        &["environment variable", "env var", "secrets", "credentials", "api keys", "tokens"],
        (60, 140),
        concat!(
            r"\b(?:print|dump|output|post|send|include|paste|share|upload|exfiltrate|leak|reveal|copy|append|put|write)~(?:me~)?(?:all~|every~|the~|your~|of~|any~|its~){0,4}",
            r"(?:environment~variables|env~vars?|secrets|credentials|api~keys|tokens)\b[^\n.]{0,60}?",
            r"(?:\b(?:in|as|into)~(?:a~|the~|your~|this~)?(?:pr~|issue~|review~|pull~request~)?(?:comment|reply|response)\b|\bto~https?://)",
        ),
    ),
    phrase(
        "base64-env-exfil",
        &["base64"],
        (220, 160),
        concat!(
            r"(?:^|[\s;&|(`$])(?:printenv|env)(?:\s+\w*(?:TOKEN|SECRET|KEY|PASSWORD)\w*)?[ ]*(?:\|[^|\n]{0,80}){0,2}\|[ ]*base64\b(?:[ ]+(?:-w[ ]?0|--wrap=0))?[ ]*(?:$|[\n|;)`\x22'&>]|\z)",
            r"|\b(?:echo|printf)(?:\s+-[neE]+|\s+['\x22]?%s['\x22]?){0,2}\s+[\x22']?\$\{?(?:GITHUB_TOKEN|GH_TOKEN|ACTIONS_\w*TOKEN|CI_JOB_TOKEN|GITLAB_TOKEN|NPM_TOKEN|",
            r"AWS_SECRET_ACCESS_KEY|AWS_SESSION_TOKEN|OPENAI_API_KEY|ANTHROPIC_API_KEY|\w*SECRET\w*)\}?[\x22']?[ ]*\|[ ]*base64\b(?:[ ]+(?:-w[ ]?0|--wrap=0))?[ ]*(?:$|[\n|;)`\x22'&>]|\z)",
            r"|\bbase64\b(?:[ ]+(?:-w[ ]?0|--wrap=0))?[ ]*<<<[ ]*[\x22']?\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD)",
            r"|\bbase64(?:[ ]+(?:-w[ ]?0|--wrap=0))?[ ]*\|[ ]*base64(?:[ ]+(?:-w[ ]?0|--wrap=0))?[ ]*(?:$|[\n|;)`\x22'&>]|\z)",
        ),
    ),
    phrase(
        "translate-and-execute",
        &["translate", "decode", "decrypt", "decipher"],
        (1, 300),
        concat!(
            r"\b(?:translate|decode|decrypt|decipher)~(?:the~following|this|it|that|these|below|the~\w+~(?:text|comment|message|string|paragraph|block)|",
            r"the~(?:text|comment|message|string|paragraph|block)|from~\w+)\b[^\x00]{0,160}?\b(?:and|then)~(?:then~)?",
            r"(?:execute|run|eval|exec|follow|obey|perform|carry~out)(?:~(?:it|them|that|the~(?:result|output|commands?|instructions?|code))\b|\s*(?:[.!]|$|\z))",
        ),
    ),
];
