import { segment } from "./Addresses.ts"
import type { Http } from "./Http.ts"
import { type Paged, paged } from "./Iterating.ts"
import type { CallOptions } from "./Scope.ts"
import type * as Wire from "./Wire.ts"

export interface KeyGrant extends Omit<Wire.NewApiKey, "expiresAt"> {
  readonly expiresAt?: string | Date | null | undefined
}

export interface KeysFilter extends Wire.ListKeysQuery, CallOptions {}

/** API keys (docs/apps/keys.md), and tokens for pages (docs/apps/browsers.md). */
export class Keys {
  readonly #http: Http

  constructor(http: Http) {
    this.#http = http
  }

  /** Newest first, with revoked and expired ones. */
  list({ signal, timeout, ...filter }: KeysFilter = {}): Paged<Wire.ApiKeys> {
    return paged(this.#http, "/keys", filter, { signal, timeout })
  }

  get(id: string, options?: CallOptions): Promise<Wire.ApiKey> {
    return this.#http.ask({ path: `/keys/${segment(id)}` }, options)
  }

  /** The key is in this answer only. If the answer is lost, list the keys, revoke the new one, and create another. */
  create(grant: KeyGrant, options?: CallOptions): Promise<Wire.IssuedApiKey> {
    return this.#http.postOnce("/keys", grant, options)
  }

  revoke(id: string, options?: CallOptions): Promise<void> {
    return this.#http.ask({ method: "DELETE", path: `/keys/${segment(id)}` }, options)
  }

  rotate(id: string, rotation?: Wire.RotateApiKey, options?: CallOptions): Promise<Wire.RotatedApiKey> {
    return this.#http.postOnce(`/keys/${segment(id)}/rotate`, rotation, options)
  }

  /** A token for a page: short-lived, and good only for what the grant names. */
  createToken(grant: Wire.NewToken, options?: CallOptions): Promise<Wire.Token> {
    return this.#http.postOnce("/keys/tokens", grant, options)
  }
}
