/** The resource of all tokens: the tool server (RFC 8707). */
export const scope = "mcp"

/** The resource's name in metadata and tokens. */
export const resourceOf = (mcpUrl: string): string => `${mcpUrl}/mcp`

/** Whether a client means this resource: also by the address of the server alone, and with a trailing slash. */
const isMeant = (text: string, mcpUrl: string): boolean => {
  const href = URL.parse(text)?.href.replace(/\/$/, "")
  return href === resourceOf(mcpUrl) || href === mcpUrl
}

/** Replaces every accepted spelling by the one name, so that grants and requests match. Keeps other resources. */
export const rename = (params: URLSearchParams, mcpUrl: string): void => {
  const requested = params.getAll("resource").filter((text) => text !== "")
  params.delete("resource")
  for (const name of new Set(requested.map((text) => (isMeant(text, mcpUrl) ? resourceOf(mcpUrl) : text)))) {
    params.append("resource", name)
  }
}
