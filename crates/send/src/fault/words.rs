//! The words by which each kind of failure is known, except overflow (`window`).
//!
//! Phrases are matched in lower-case text with `_` and `-` read as blanks. A phrase
//! must start at the start of a word; a `$` at its end asks for the end of a word
//! too. Codes are matched without case and punctuation, so that `RATE_LIMIT_EXCEEDED`
//! and `RateLimitExceeded` are one.

/// The entries of a table, which are separated by semicolons.
pub(super) fn entries(table: &str) -> impl Iterator<Item = &str> {
    table.split(';').map(str::trim)
}

/// The first phrase of a table that occurs in a text.
pub(super) fn find_any(text: &str, table: &'static str) -> Option<&'static str> {
    entries(table).find(|phrase| occurs(text, phrase)).map(|phrase| phrase.trim_end_matches('$'))
}

/// Whether a phrase of a table occurs in a text.
pub(super) fn contains_any(text: &str, table: &str) -> bool {
    entries(table).any(|phrase| occurs(text, phrase))
}

fn occurs(text: &str, phrase: &str) -> bool {
    let (needle, whole) = match phrase.strip_suffix('$') {
        Some(needle) => (needle, true),
        None => (phrase, false),
    };
    let bytes = text.as_bytes();
    text.match_indices(needle).any(|(at, _)| {
        let before = at.checked_sub(1).map(|i| bytes[i]);
        let after = bytes.get(at + needle.len());
        before.is_none_or(|b| !b.is_ascii_alphanumeric())
            && !(whole && after.is_some_and(u8::is_ascii_alphanumeric))
    })
}

/// The content was refused.
pub(super) const FILTER_CODES: &str = "\
    contentfilter; contentpolicyviolation; responsibleaipolicyviolation; datainspectionfailed;
    prohibitedcontent; moderationblocked; contentblocked; sensitivecontent; unsafecontent;
    policyviolation; imagesafety; guardrailintervened; inputmoderation; blockreason; safety$;
    recitation$; blocklist$";
/// See [`FILTER_CODES`].
pub(super) const FILTER: &str = "\
    content filter; content management policy; content policy; content policies;
    content moderation; flagged by; was flagged; been flagged; is flagged; usage policy;
    usage policies; usage guidelines; safety system; safety reasons; safety filter;
    safety settings; safety policy; safety checks; due to safety; finish reason: safety;
    finishreason: safety; finishreasonsafety; finishreasonrecitation; finishreasonprohibited;
    content exists risk; blocked for reason; inappropriate content; inappropriate or; unsafe content;
    harmful content; sensitive content; sensitive words; prohibited content; prohibited use;
    responsible ai; data inspection; requires moderation; moderation; recitation;
    prompt was blocked; prompt is blocked; response was blocked; response is blocked;
    candidate was blocked; blocked by safety; blockreason; block reason; blocked due to;
    considered high risk; guardrail; violates our; violating our; violates openai;
    violation of our; copyrighted; acceptable use; 敏感; 违规; 不合规; 内容审核; 安全审核;
    不安全; 审查";

/// Who is asking, and from where: a country that is not served is refused like a
/// stranger, and no other request would pass.
pub(super) const AUTH_CODES: &str = "\
    authenticationerror; invalidapikey; apikeyinvalid; incorrectapikey; unauthorized;
    unauthenticated; permissiondenied; permissionerror; accessdenied; expiredtoken;
    invalidtoken; tokenexpired; unrecognizedclient; invalidsignature; accountdeactivated;
    missingapikey; unsupportedcountryregionterritory; invalidauthentication;
    missingauthenticationtoken; authrequired; invalidclienttokenid; invalidauthorization;
    apikeyexpired; invalidissuer; organizationdisabled; invalidgrant; refreshtokenreused;
    tokeninvalidated; forbidden$";
/// See [`AUTH_CODES`].
pub(super) const AUTH: &str = "\
    invalid api key; incorrect api key; api key not valid; api key is invalid; api key invalid;
    api key expired; api key has expired; api key is missing; api key not found;
    api key is required; missing api key; no api key; api key must; api key has been;
    api key was not; api key provided; api key client option must be set; provide an api key;
    provide a valid api key; provide your api key; valid api key; invalid x api key;
    invalid key; invalid authentication; authentication; unauthorized; unauthenticated;
    not authenticated; not logged in; please log in; please login; run /login; log in again;
    sign in again; invalid token; token is invalid; token invalid; token expired;
    token has expired; token is expired; expired token; token has been; token was revoked;
    token revoked; invalid bearer; bearer token; access token; oauth token; refresh token;
    csrf token; security token; auth token; jwt; password; permission denied; permission;
    access denied; access forbidden; forbidden; not authorized; not authorised;
    does not have access to this; account deactivated; account has been deactivated;
    account is deactivated; account has been disabled; account was disabled;
    organization has been disabled; account suspended; country, region; unsupported country;
    location is not supported; region is not supported; region not supported;
    not available in your region; not available in your country; user not found; api 密钥;
    密钥无效; 无效的令牌; 身份验证; 鉴权; 认证失败; 无权限; 未授权; apikey; api key 无效;
    无效的api key; 令牌无效; 令牌已过期; 该令牌; you have been blocked;
    invalid subscription key; auth credentials; no credentials; invalid credentials;
    missing credentials; locate credentials; valid credentials; expired credentials;
    credentials expired; credentials have expired; credentials not; credentials are;
    credentials were; default credentials; credentials required; your credentials;
    nocredentials";

/// Money.
pub(super) const QUOTA_CODES: &str = "\
    insufficientquota; insufficientbalance; insufficientcredit; billinghardlimit;
    billingnotactive; billingerror; paymentrequired; creditbalance; arrearage; accountoverdue;
    usagelimitreached; exceededcurrentquota; usagenotincluded; outofcredit; spendinglimit;
    budgetexceeded; freetieronly; usagelimitexceeded; monthlylimit; creditlimit;
    quotaexceedederror; resourcepackexhausted";
/// See [`QUOTA_CODES`].
pub(super) const QUOTA: &str = "\
    insufficient balance; insufficient credit; insufficient fund; insufficient quota;
    insufficient account balance; balance is insufficient; balance is too low; balance too low;
    balance not enough; not enough credit; not enough balance; out of credits; more credits;
    ran out of credit; run out of credit; credits exhausted; credits have been;
    remaining credits; credit balance; credit limit; buy credits; add credits; purchase;
    billing hard limit; billing limit; billing details; billing is not; billing not;
    enable billing; billing account; payment required; payment method; unpaid; overdue;
    in arrears; key limit; monthly limit; monthly quota; monthly usage; monthly included;
    weekly limit; spend limit; spending limit; spending cap; budget has been exceeded;
    budget exceeded; exceeded budget; max budget; usage limit; premium request; plan limit;
    free tier of the model has been; account is in good standing; account is not active;
    prepaid; top up; recharge; extra usage is required; 余额不足; 欠费; 充值; 额度不足;
    额度已用; 资源包; 账户余额; 配额不足; no credits left; no credits remaining;
    have no credits; no more credits; your subscription; subscription required;
    subscription has; subscription plan; run out of tokens; ran out of tokens; out of tokens$;
    insufficient tokens; token balance; token quota; token allowance; tokens left;
    tokens remaining; free tokens; for your plan; your current plan; hour limit; session limit;
    usage cap; message limit; usage credits; credits required; credits are required";
/// A limit of the account where no rate is named.
pub(super) const OWN_LIMIT: &str = "hit your limit; your limit · resets; limit reached · resets";
/// Money or time: which of them it is depends on the rest.
pub(super) const QUOTA_OR_RATE: &str = "\
    exceeded your current quota; quota exceeded; quota has been exceeded; exceeded quota;
    out of quota; exceeded your quota; quota limit; 配额";

/// Too much in a stretch of time.
pub(super) const RATE_CODES: &str = "\
    ratelimit; toomanyrequests; throttl; resourceexhausted; requestlimitexceeded; slowdown;
    requestthrottled; tokensperminute; limitrequests; limitburstrate; qpslimit;
    concurrencylimit; provisionedthroughputexceeded; servicequotaexceeded";
/// See [`RATE_CODES`].
pub(super) const RATE: &str = "\
    rate limit; ratelimit; rate exceeded; rate increased too quickly; token rate; request rate;
    call rate limit; too many requests; throttl; requests per; request per; tokens per min;
    tokens per minute; tokens per day; tokens per hour; tokens per second; tokens/min;
    tokens/day; tpm$; rpm$; rpd$; tpd$; qps$; itpm$; max rpm; per day limit; per minute limit;
    daily limit; daily request; daily token; hourly limit; quota exceeded for metric;
    concurren; too many connections; too many simultaneous; slow down; too frequent; enqueued;
    request limit reached; request limit exceeded;
    requests limit; max requests; free models per; burst; queue is full; 速率; 频率; 限流;
    请求过于频繁; 请求频繁; 请求过多; 请求次数; 并发; 每分钟; 每日; throughput exceeded;
    provisioned throughput; per minute; per day; per hour; per second; messages per;
    in 24 hours";

/// Advice to wait, which rate limits give and others too.
pub(super) const WAIT: &str = "please wait; wait before trying";

/// The model is not there.
pub(super) const MODEL_CODES: &str = "\
    modelnotfound; modeldecommissioned; deploymentnotfound; modelnotsupported;
    modelnotavailable; invalidmodel; unknownmodel; modeldeprecated; modelaccessdenied;
    nosuchmodel; modelnotexist; invalidendpointormodel; modelnotopen; unsupportedmodel";
/// See [`MODEL_CODES`].
pub(super) const MODEL: &str = "\
    model not found; model not exist; model does not exist; unknown model; no such model;
    invalid model; unsupported model; not a valid model; not a chat model;
    model is not available; model is not supported; model not supported; model not available;
    model is unavailable; model identifier is invalid; model id is invalid;
    does not exist or you do not have access; access to the model; access to model;
    access to this model; on demand throughput; is not found for api version;
    no endpoints found; no models loaded; model is not loaded; no model loaded;
    no allowed providers; deployment for this resource does not exist;
    deployment does not exist; try pulling it; pull it first; model file not found;
    requested model is not; requested model does not; requested model was not; 模型不存在;
    模型未; 不支持的模型; 无此模型";

/// The answer did not arrive. Deadlines and contexts of Go programs are here too:
/// they have nothing to do with a model's context.
pub(super) const NETWORK: &str = "\
    context deadline exceeded; context canceled; context cancelled; deadline exceeded;
    max retries exceeded; maximum retries; connection pool; connectionpool; dns; getaddrinfo;
    eai again; enotfound; econnrefused; econnreset; econnaborted; etimedout; epipe;
    ehostunreach; enetunreach; und err; connection refused; connection reset;
    connection aborted; connection closed; connection error; connection was closed;
    connection lost; connection timed out; connect timeout; connect call failed;
    cannot connect; can't connect; could not connect; couldn't connect; unable to connect;
    failed to connect; failed to establish; could not resolve; couldn't resolve;
    failed to lookup; failed to resolve; name resolution; name or service not known;
    error sending request; error trying to connect; dial tcp; no such host; no route to host;
    network error; network is unreachable; network request failed; socket hang up;
    socket closed; socket; fetch failed; failed to fetch; certificate; ssl$; ssl:; sslerror;
    ssl context; tls$; handshake; peer closed; stream disconnected; stream closed;
    stream error; incomplete chunked; incomplete message; broken pipe; unexpected eof;
    unexpected end of file; premature close; closed prematurely; remote end closed;
    server disconnected; other side closed; error decoding response body;
    error reading response; read timed out; read timeout; response ended prematurely;
    apiconnectionerror; transport error; request timed out; request timeout; request timed;
    timed out; timeout; operation was aborted; request was aborted; offline; err internet;
    连接超时; 网络错误; 请求超时; connecterror; connection attempts failed; clientpayloaderror;
    payload is not completed; remoteprotocolerror; eof$";

/// The provider is too busy or broke in a way that it names.
pub(super) const BUSY: &str = "\
    overloaded; overload; at capacity; no capacity; capacity exceeded; capacity exhausted;
    over capacity; out of capacity; capacity constraints; insufficient capacity;
    capacity is limited; not have enough capacity; high demand; high load; heavy load;
    high traffic; server is busy; server busy; service is busy; too busy; system is busy;
    currently busy; no healthy upstream; no available server; no instances available;
    no available channel; out of memory; outofmemory; cuda error; cublas; oom$;
    insufficient memory; more system memory; not enough memory; failed to allocate;
    loading model; model is loading; currently loading; is being loaded; still loading;
    warming up; model runner has unexpectedly stopped; llama runner process; 繁忙; 过载; 负载;
    failed to load model; insufficient system resources; insufficient resources; has crashed; model crashed";
/// Codes of the same.
pub(super) const SERVER_CODES: &str = "\
    overloaded; servererror$; internalerror; internalserver; serviceunavailable; badgateway;
    apierror500; gatewaytimeout; enginebusy; modelnotready; modelerrorexception; modelcapacity;
    capacityexceeded; unavailable$; upstreamerror500; internalfailure; modeltimeout";
/// The provider broke, in general words.
pub(super) const SERVER: &str = "\
    internal server error; internal error; internal failure; server error; server had an error;
    service unavailable; service is unavailable; temporarily unavailable;
    currently unavailable; is unavailable; bad gateway; gateway timeout; gateway time out;
    upstream connect error; upstream timed out; upstream request timeout; upstream error;
    upstream server; disconnect/reset before headers; something went wrong;
    unexpected error; an error occurred while processing; unable to process your request;
    could not process; try again later; web server is; cloudflare; unexpected token <;
    unexpected token '<'; <!doctype; segmentation fault; under maintenance; server misbehaving;
    内部错误; 服务不可用; 系统错误; 服务异常; origin$; panic$";

/// Requests that are wrong in a way that looks like an overflow but is not.
pub(super) const ODD_SIZES: &str = "\
    message larger than max; payload too large; entity too large; content too large;
    request exceeds the maximum size; body exceeded; body limit; body is too large; max body;
    tokens per request; string too long; string value length; string above max length;
    array too long; array above max length; above max length; budget tokens; thinking budget;
    thinkingbudget; reasoning budget; prefix caching; cache control; unexpected token;
    expected maxlength";
/// Codes of the same.
pub(super) const ODD_SIZE_CODES: &str = "\
    stringabovemaxlength; arrayabovemaxlength; maxtokensperrequest; requesttoolarge;
    payloadtoolarge; requestentitytoolarge; contenttoolarge; invalidimage; imageparse";

/// The request is wrong, in general words.
pub(super) const INVALID: &str = "\
    invalid; unsupported; not supported; does not support; doesn't support; only supported;
    must be; must have; must not; must contain; must start; must end; must match;
    must alternate; must be followed; should be; should have; should match; expected;
    malformed; failed to parse; parse error; could not parse; cannot parse; missing; required;
    not allowed; not permitted; unrecognized; unknown parameter; unknown field; unknown name;
    bad request; validation; unprocessable; too long; too large; too big; too many; exceeds;
    exceed; out of range; not a valid; is not valid; cannot be; can't be; duplicate;
    extra inputs; extra fields; unable to decode; could not decode; 参数错误; 参数; 格式错误;
    无效; 不支持; 缺少; not specified";
/// Codes of the same.
pub(super) const INVALID_CODES: &str = "\
    invalidrequest; invalidparameter; invalidargument; invalidvalue; badrequest;
    validationexception; validationerror; unsupportedparameter; unsupportedvalue;
    unknownparameter; missingrequiredparameter; invalidprompt; unprocessableentity;
    invalidtype; invalidjson; failedprecondition";
