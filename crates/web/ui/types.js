// What the server says, as types. No code: the words of the HTTP contract in one place.

/**
 * What decides which pairs are visible and who would answer. `passedOver` answered here last, and
 * lacks something now.
 * @typedef {{filter: string, topic: string, topicId: string, model: string, title: string, cost?: number, passedOver?: {model: string, lacks: Lack}}} View
 */

/**
 * X, T and Y of REC-3; `text` is how they are written, `title` their breakdown.
 * @typedef {{x: number, t: number, y: number, text: string, frozen: boolean, title?: string, sent?: {history: number, aut: number, total: number, ml: number}}} Counter
 */

/**
 * The load line: pairs from `start` on are sent unless something else holds them back, those before
 * it only if they are pinned.
 * @typedef {{start: number, x: number, y: number, historyTokens: number, totalTokens: number, words?: [string, string][], note?: string|null, forget?: boolean}} Boundary
 */

/**
 * What a prompt costs in US dollars, the answer not counted: at most, and if the last beginning is
 * still cached.
 * @typedef {{most: number, text: string, tokens: string, cached?: number, inputPrice: number}} Cost
 */

/**
 * The model's window and what is in it. `files` is the part of `aut` that files weigh.
 * @typedef {object} Window
 * @property {number} ml
 * @property {string} binds
 * @property {string} bindText
 * @property {number} prelude
 * @property {number} history
 * @property {number} aut
 * @property {number} [files]
 * @property {number} ura  a message of this size moves nothing
 * @property {number} system  what of the prelude is the system message
 * @property {number} reserve
 * @property {number} free
 * @property {number} total
 * @property {number} percent
 * @property {"ok"|"warn"|"over"|"too_large"} verdict
 * @property {boolean} exact
 * @property {string} estimator
 * @property {Cost} [cost]  where the price of the model is known
 * @property {string} load
 * @property {string} told  the total with its band and basis (EST-9)
 * @property {string} preludeText  what the prelude is made of
 * @property {string} model
 * @property {number} [charsPerToken]
 */

/**
 * What the server says of the view, for the digest of what was seen (PAY-6).
 * @typedef {{view: number, shape: number, block: number, blocks: [number, string][], system?: string|null, files?: string|null}} ShownView
 */

/**
 * What would be sent for a pair that is answered again; `without` is a pair that would go.
 * @typedef {{boundary: Boundary, end: number, model: string, shown: ShownView, files: {fileId: string|null, delivery: string|null}[], question?: {pair: string, revision: number}|null, without: string|null}} PreviewOfSend
 */

/**
 * @typedef {object} State
 * @property {View} view
 * @property {Counter} counter
 * @property {Boundary} boundary
 * @property {string} [contextFrom]  where somebody said that the context begins (UI-17)
 * @property {ShownView} shown
 * @property {PreviewOfSend|null} preview  of what is answered again; the page's own
 * @property {Window} window
 * @property {boolean} queue  whether what is sent during a send waits for its end
 * @property {{pair: string}|null} sending  told as the pair's id alone, or left out
 * @property {string} event  the id of the newest event that it knows of
 * @property {number} longPasteChars  from how many characters a paste is a file (INS-1)
 * @property {number} longPasteLines
 */

/**
 * One way out that a problem offers (VAL-3). `model` and `filter` are what it would set.
 * @typedef {{kind: string, label: string, detail?: string, model?: string, filter?: string, file?: string, tokens?: number, pairs?: string[]}} Suggestion
 */

/**
 * A pair as data, texts unrendered.
 * @typedef {object} Pair
 * @property {string} id
 * @property {string} userText
 * @property {string|null} [assistantText]
 * @property {string} [model]
 * @property {string} [topic]
 * @property {string} [topicId]
 * @property {Attachment[]} [attachments]
 */

/** How a model gets a file (DLV-1 to DLV-3). @typedef {"inline"|"on-demand"|"path"|"text"} Delivery */

/**
 * What belongs to one token of a text; no delivery means the default rules.
 * @typedef {{fileId: string|null, delivery: Delivery|null}} Attachment
 */

/**
 * Why a file is over the limit, and what can be done (LIM-3).
 * @typedef {{limit: number, sizeText: string, words: string, headBytes: number|null, headText: string|null, onDemand: boolean}} TooLarge
 */

/** How large files may be; `words` where that is less than usual (LIM-2). @typedef {{text: number, image: number, words: string|null}} Limits */

/** The text of a document, what it is long in pages or sheets, and what is not in it. @typedef {{length: string|null, sizeText: string, tokens: number, remark: string|null}} Extracted */

/**
 * A file of the registry (FIL-1).
 * @typedef {object} FileInfo
 * @property {string} id
 * @property {string} name
 * @property {"IMAGE"|"PDF"|"DOCUMENT"|"AUDIO"|"VOICE"|"VIDEO"|"GENERATED"} kind
 * @property {string} mime
 * @property {number} size
 * @property {string} sizeText
 * @property {number|null} tokens
 * @property {[number, number]|null} [pixels]
 * @property {boolean} isText
 * @property {Extracted|null} [extracted]  the text that was read out of a document
 * @property {string|null} [noText]        why none was
 * @property {"user"|"assistant"|"pending"} source
 * @property {boolean} listed
 * @property {boolean} [added]
 * @property {string|null} [uploadContext]
 * @property {string} createdAt
 * @property {string} age
 * @property {string} token
 * @property {string|null} [said]
 * @property {string|null} [thumbnail]
 * @property {Delivery} delivery
 * @property {Delivery[]} deliveries
 * @property {TooLarge|null} [tooLarge]
 */

/** @typedef {{kind: "text", text: string, more: boolean}|{kind: "image", url: string}|{kind: "none", words: string}} Preview */
/** @typedef {FileInfo & {usedBy: {pair: string, opening: string}[], preview: Preview}} FileDetails */

/**
 * An attachment as it would be delivered now (SHW-2).
 * @typedef {object} Weighed
 * @property {string|null} fileId
 * @property {string} name
 * @property {"image"|"text"|"file"} kind
 * @property {string} sizeText
 * @property {Extracted|null} [extracted]
 * @property {number|null} tokens
 * @property {Delivery} delivery
 * @property {Delivery[]} deliveries
 * @property {string|null} [thumbnail]
 * @property {string|null} [broken]
 * @property {string|null} [note]
 * @property {string|null} [instead]  what the model gets, if it cannot take it that way
 * @property {string|null} [unseen]
 * @property {TooLarge|null} [tooLarge]
 */

/**
 * A call of a tool while an answer is made, drawn as it is drawn later.
 * @typedef {{pair: string, place: number, name: string, running: boolean, html: string}} ToolCall
 */

/**
 * A note of the memory, or a prompt that a search found (MEM-1).
 * @typedef {object} Note
 * @property {number} id
 * @property {boolean} prompt
 * @property {string} type
 * @property {string} title
 * @property {string} snippetHtml
 * @property {string} project
 * @property {"project"|"personal"} scope
 * @property {string} session
 * @property {string|null} topicKey
 * @property {string|null} namespace
 * @property {number} revision
 * @property {number} duplicates
 * @property {number} tokens
 * @property {string} createdAt
 * @property {string} updatedAt
 * @property {string} age
 * @property {string|null} author  who wrote it
 * @property {string[]} warnings  why it may not count any more (MEM-15)
 * @property {string|null} how  how a search found it; null: by all words, or there was no search (MEM-10)
 */

/** @typedef {{target: string, state: "unchanged"|"changed since"|"gone"|"not checked"}} NoteAnchor */
/** @typedef {{id: number, type: string, title: string, project: string, deletedAt: string, age: string}} DeletedNote */

/**
 * What an agent saved and nobody has looked at yet (MEM-16). Of a change, what is null stays.
 * @typedef {object} PendingNote
 * @property {number} id
 * @property {number|null} changes  the note that it changes
 * @property {string|null} type
 * @property {string|null} title
 * @property {string|null} html
 * @property {string|null} project
 * @property {string|null} author
 * @property {string|null} topicKey
 * @property {string[]} anchors
 * @property {number[]} supersedes
 * @property {string} savedAt
 * @property {string} age
 */

/** @typedef {{revision: number, type: string, title: string, content: string, replacedAt: string, replaced: string, author: string|null}} NoteRevision */
/** @typedef {{id: number, type: string, note: string|null, outgoing: boolean, other: number, otherTitle: string}} NoteRelation */
/** @typedef {Note & {content: string, html: string, created: string, updated: string, revisions: NoteRevision[], relations: NoteRelation[], anchors: NoteAnchor[], supersededBy: number|null, expiresAt: string|null, expires: string|null}} WholeNote */
/** @typedef {{notes: Note[], total: number, more: boolean, anyWord: boolean, pending: number, deleted: number, types: {name: string, count: number}[], projects: {name: string, count: number}[]}} NoteList */

/** @typedef {"waiting"|"loading"|"thinking"|"retry"|"attempt"|"quota"|"trimming"|"saving"} StatusKind */

/**
 * What a send is doing; `until` is when a wait ends, in epoch milliseconds.
 * @typedef {{pair: string, kind: StatusKind, text: string, until?: number | null}} Status
 */

/** What a model lacks before it can be asked; `words` follow "needs". @typedef {{kind: "key"|"answer"|"entry"|"server"|"weights"|"program", words: string, provider?: string, server?: string}} Lack */
/** @typedef {{id: string, provider: string, ml: number, size?: string, bindText?: string, available: boolean, lacks?: Lack, enabled?: boolean, assumed?: boolean, current: boolean}} Model */
/** @typedef {{id: string, path: string, name?: string, pairs?: number}} Topic */
/** @typedef {{pair: string, at?: number|null, conversation?: string|null, title?: string|null, snippetHtml: string, createdAt: string}} Hit */
/** @typedef {{from: number, to: number, items: {insert: string, label: string}[]}} Completion */

export {};
