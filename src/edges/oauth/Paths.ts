/** Where the authorization server answers on the host of the tool server: routes, provider and metadata have to agree. */

/** Once it is decided, the browser comes to a path of the authorization's own below it. */
export const authorize = "/oauth/authorize"

/** The page of an authorization is below it. */
export const interaction = "/oauth/interaction"

export const register = "/oauth/register"
export const token = "/oauth/token"
export const revoke = "/oauth/revoke"

/** RFC 9728, 3. */
export const resourceMetadata = "/.well-known/oauth-protected-resource"

/** RFC 8414, 3. */
export const serverMetadata = "/.well-known/oauth-authorization-server"
