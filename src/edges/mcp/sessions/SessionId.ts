/** Ids of sessions (MCP 2025-11-25, "Session Management"). Only their hashes are stored. */
import * as crypto from "node:crypto"

/** 192 random bits. */
export const make = (): { readonly id: string; readonly hash: string } => {
  const id = crypto.randomBytes(24).toString("base64url")
  return { id, hash: sha256(id) }
}

/** `null` for a text that cannot be an id. */
export const hashOf = (text: string): string | null =>
  /^[A-Za-z0-9_-]{32}$/.test(text) ? sha256(text) : null

const sha256 = (text: string): string => crypto.hash("sha256", text, "base64url")
