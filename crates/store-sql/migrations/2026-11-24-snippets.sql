-- UI-23: the prompt library, texts by name.
CREATE TABLE snippets (
    workspace TEXT NOT NULL REFERENCES workspaces (scope),
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (workspace, name)
);
