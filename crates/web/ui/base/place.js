// Where this page looks: a conversation or everything, and the address that says so (HIS-9b).

/** @typedef {{workspace: string, conversation: string | null, scope: "conversation" | "everything"}} Place */

const DEFAULT_WORKSPACE = "default/main";

/**
 * The place that the server gave the page.
 * @param {DOMStringMap} dataset
 * @returns {Place}
 */
export function placeIn(dataset) {
  return {
    workspace: dataset["workspace"] ?? "",
    conversation: dataset["conversation"] || null,
    scope: dataset["scope"] === "conversation" ? "conversation" : "everything",
  };
}

/**
 * A path of the server with the place in it. What goes without saying is not said. Pure.
 * @param {string} path
 * @param {Partial<Place>} place
 */
export function scoped(path, { workspace = "", conversation = null, scope = "everything" }) {
  const known = new URLSearchParams(path.split("?")[1] ?? "");
  /** @type {[string, string][]} */
  const said = [];
  if (workspace && workspace !== DEFAULT_WORKSPACE) said.push(["workspace", workspace]);
  if (conversation) {
    said.push(["conversation", conversation]);
    if (scope === "everything") said.push(["scope", scope]);
  }
  const more = said.filter(([name]) => !known.has(name)).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  if (!more.length) return path;
  return `${path}${path.includes("?") ? "&" : "?"}${more.join("&")}`;
}

/**
 * The address of a place with a filter. Pure.
 * @param {Place} place
 * @param {string} [filter]
 */
export function addressOf({ workspace, conversation, scope }, filter = "") {
  const said = new URLSearchParams();
  if (workspace && workspace !== DEFAULT_WORKSPACE) said.set("workspace", workspace);
  if (scope === "everything") said.set("scope", scope);
  if (filter) said.set("filter", filter);
  const query = said.toString();
  return `${conversation ? `/c/${conversation}` : "/"}${query ? `?${query}` : ""}`;
}

/**
 * Keeps the address true: a filter is a step that Back goes back.
 * @param {object} deps
 * @param {Place} deps.place
 * @param {() => string} deps.filter  that is applied
 * @param {(filter: string) => void} deps.onBack  somebody went to another filter of the same place
 */
export function createAddress({ place, filter, onBack }) {
  const here = () => location.pathname + location.search;
  const path = addressOf(place).split("?")[0];
  // What is behind the # is a pair to go to, and is read when the rows are there.
  history.replaceState(null, "", addressOf(place, filter()) + location.hash);

  addEventListener("popstate", () => {
    const said = new URLSearchParams(location.search);
    const scope = place.conversation && said.get("scope") !== "everything" ? "conversation" : "everything";
    if (location.pathname !== path || scope !== place.scope) return location.reload();
    onBack(said.get("filter") ?? "");
  });

  /** Whether the next filter is one that somebody chose here. */
  let chosen = false;

  return {
    /**
     * What somebody chooses here meanwhile is a step that Back goes back; what another tab chose is
     * followed without one.
     * @param {() => Promise<unknown>} change
     */
    async step(change) {
      chosen = true;
      try {
        await change();
      } finally {
        chosen = false;
      }
    },
    follow() {
      const now = addressOf(place, filter());
      if (here() === now) return;
      if (chosen) history.pushState(null, "", now);
      else history.replaceState(null, "", now);
    },
  };
}
