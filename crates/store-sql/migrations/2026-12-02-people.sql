-- TEA-9: people, projects and who may do what in them, and how people sign in. Of tokens and of
-- sign-ins only hashes are kept.
CREATE TABLE people (
    name TEXT NOT NULL PRIMARY KEY,
    created_at BIGINT NOT NULL,
    admin SMALLINT NOT NULL,
    email TEXT,
    subject TEXT UNIQUE,
    tokens_per_month BIGINT,
    cost_per_month DOUBLE PRECISION
);

CREATE TABLE projects (
    name TEXT NOT NULL PRIMARY KEY,
    created_at BIGINT NOT NULL,
    tokens_per_month BIGINT,
    cost_per_month DOUBLE PRECISION
);

CREATE TABLE project_roles (
    project TEXT NOT NULL REFERENCES projects (name) ON DELETE CASCADE,
    person TEXT NOT NULL REFERENCES people (name) ON DELETE CASCADE,
    role TEXT NOT NULL,
    PRIMARY KEY (project, person)
);
CREATE INDEX project_roles_by_person ON project_roles (person);

CREATE TABLE person_tokens (
    hash TEXT NOT NULL PRIMARY KEY,
    person TEXT NOT NULL REFERENCES people (name) ON DELETE CASCADE,
    label TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    UNIQUE (person, label)
);

CREATE TABLE sign_ins (
    hash TEXT NOT NULL PRIMARY KEY,
    person TEXT NOT NULL REFERENCES people (name) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sign_ins_by_person ON sign_ins (person);
CREATE INDEX sign_ins_by_end ON sign_ins (expires_at);

-- TEA-10: who did what, and from where. It outlives the people that it names.
CREATE TABLE audit_entries (
    id TEXT NOT NULL PRIMARY KEY,
    at BIGINT NOT NULL,
    person TEXT,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    origin TEXT NOT NULL
);
CREATE INDEX audit_entries_by_time ON audit_entries (at);

-- Keys of providers, sealed with a key that is not in the store. `holder` is empty for the team.
CREATE TABLE sealed_keys (
    id TEXT NOT NULL PRIMARY KEY,
    holder_kind TEXT NOT NULL,
    holder TEXT NOT NULL,
    provider TEXT NOT NULL,
    servers TEXT NOT NULL,
    sealed TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (holder_kind, holder, provider)
);

-- Days are counted from 1970-01-01, in UTC.
CREATE TABLE person_use (
    person TEXT NOT NULL,
    project TEXT NOT NULL,
    day BIGINT NOT NULL,
    calls BIGINT NOT NULL,
    tokens BIGINT NOT NULL,
    cost DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (person, project, day)
);
CREATE INDEX person_use_by_project ON person_use (project, day);
CREATE INDEX person_use_by_day ON person_use (day);

-- People see the calls that they made themselves.
CREATE INDEX gateway_calls_by_client ON gateway_calls (client, at);
