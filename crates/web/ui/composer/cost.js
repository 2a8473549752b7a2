// What a send will cost, on its button and in its tooltip (UI-18). Prices and sums are the server's;
// between two of its answers the number follows what is typed.

/** @typedef {import("../types.js").Window} Window */
/** @typedef {import("../types.js").Cost} Cost */

/**
 * What something costs at most, never less than it does; as `dollars_at_most` of the server. Pure.
 * @param {number} cost
 */
export function dollarsAtMost(cost) {
  if (cost <= 0) return "free";
  const [parts, digits] = cost >= 0.1 ? [100, 2] : [10_000, 4];
  return `≤ $${(Math.max(1, Math.ceil(cost * parts - 1e-6)) / parts).toFixed(digits)}`;
}

/**
 * What something cost; as `dollars` of the server. Pure.
 * @param {number} cost
 */
export function dollars(cost) {
  return `$${cost.toFixed(cost >= 1 ? 2 : 4)}`;
}

/**
 * The cost of another draft, until the server has weighed it: more tokens cost their price. Pure.
 * @param {Cost | undefined} cost
 * @param {number} more  tokens, or less than none
 * @returns {Cost | undefined}
 */
export function costWith(cost, more) {
  if (!cost || more === 0) return cost;
  const most = Math.max(0, cost.most + (more * cost.inputPrice) / 1e6);
  const { cached, ...rest } = cost;
  return { ...rest, most, text: cost.inputPrice > 0 ? dollarsAtMost(most) : cost.text };
}

/**
 * The cost of one message that goes to several models; undefined where one price is not known. Pure.
 * @param {readonly (Cost | undefined)[]} costs
 * @returns {{most: number, text: string} | undefined}
 */
export function sumOfCosts(costs) {
  if (!costs.length || costs.some((cost) => !cost)) return undefined;
  const most = costs.reduce((sum, cost) => sum + (cost?.most ?? 0), 0);
  return { most, text: dollarsAtMost(most) };
}

/**
 * What the button says about it. Pure.
 * @param {Cost | undefined} cost
 */
export function costTitle(cost) {
  if (!cost) return "Send (Enter)";
  if (cost.text === "free") return "Send (Enter). This model costs nothing.";
  const cached = cost.cached === undefined ? "" : `; about ${dollars(cost.cached)} if the beginning of the last send is still cached`;
  return `Send (Enter). The prompt costs ${cost.text.replace("≤", "at most")}${cached}. The answer is not counted.`;
}
