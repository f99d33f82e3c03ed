/** How long the previous secret of a key stays valid after a rotation, ms. */
export const graceMs = 60 * 60 * 1_000
