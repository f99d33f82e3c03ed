/** What tokens are for: the tool server and nothing else (RFC 8707). */
export const scope = "mcp"

/** As it is told to clients, and as tokens name it. */
export const resourceOf = (mcpUrl: string): string => `${mcpUrl}/mcp`

/** Whether a client means it: also by the address of the server alone, and with a slash at the end. */
export const isResource = (mcpUrl: string, text: string): boolean => {
  const href = URL.parse(text)?.href.replace(/\/$/, "")
  return href === resourceOf(mcpUrl) || href === mcpUrl
}
