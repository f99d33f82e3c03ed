/** Paths of the authorization server on the host of the tool server. Routes, provider and metadata share them. */

/** After the decision the browser returns to a path below it. */
export const authorize = "/oauth/authorize"

/** The page of an authorization is below this path. */
export const interaction = "/oauth/interaction"

export const register = "/oauth/register"
export const token = "/oauth/token"
export const revoke = "/oauth/revoke"

/** RFC 9728, 3. */
export const resourceMetadata = "/.well-known/oauth-protected-resource"

/** RFC 8414, 3. */
export const serverMetadata = "/.well-known/oauth-authorization-server"
