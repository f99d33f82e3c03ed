/** What tokens are for: the tool server and nothing else (RFC 8707). */
export const scope = "mcp"

/** As it is told to clients, and as tokens name it. */
export const resourceOf = (mcpUrl: string): string => `${mcpUrl}/mcp`

/** Whether a client means it: also by the address of the server alone, and with a slash at the end. */
const isMeant = (text: string, mcpUrl: string): boolean => {
  const href = URL.parse(text)?.href.replace(/\/$/, "")
  return href === resourceOf(mcpUrl) || href === mcpUrl
}

/**
 * However a client calls it, from here on it has the one name: what is granted under one is asked for under another. What is
 * something else stays as it is.
 */
export const rename = (params: URLSearchParams, mcpUrl: string): void => {
  const asked = params.getAll("resource").filter((text) => text !== "")
  params.delete("resource")
  for (const name of new Set(asked.map((text) => (isMeant(text, mcpUrl) ? resourceOf(mcpUrl) : text)))) {
    params.append("resource", name)
  }
}
