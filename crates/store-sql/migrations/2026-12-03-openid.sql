-- TEA-9: signing in by OpenID Connect. Who somebody is at the provider stands in people.subject
-- once they came; before, a name there says who may come as whom, once.
CREATE TABLE openid_names (
    name TEXT NOT NULL PRIMARY KEY,
    person TEXT NOT NULL UNIQUE REFERENCES people (name) ON DELETE CASCADE
);

-- People who are at the provider at this moment. `state` and `browser` are hashes.
CREATE TABLE openid_attempts (
    state TEXT NOT NULL PRIMARY KEY,
    browser TEXT NOT NULL,
    goes_to TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX openid_attempts_by_end ON openid_attempts (expires_at);
