/**
 * An assistant's stored sign-in, in memory. Both generations of the official clients need the same, under types of
 * their own.
 */
export class RememberedLogin<Registration, Tokens, Discovery> {
  readonly redirectUrl = "http://127.0.0.1:33418/callback"
  readonly clientMetadata = {
    client_name: "Test Assistant",
    redirect_uris: [this.redirectUrl],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none"
  }

  registration: Registration | undefined
  current: Tokens | undefined
  /** How often tokens were handed out. */
  issued = 0
  /** The address to which the user must go, once it was requested. */
  authorizationUrl: URL | undefined
  #discovery: Discovery | undefined
  #verifier = ""

  state(): string {
    return "state-of-the-test"
  }

  clientInformation(): Registration | undefined {
    return this.registration
  }

  saveClientInformation(registration: Registration): void {
    this.registration = registration
  }

  tokens(): Tokens | undefined {
    return this.current
  }

  saveTokens(tokens: Tokens): void {
    this.issued += 1
    this.current = tokens
  }

  discoveryState(): Discovery | undefined {
    return this.#discovery
  }

  saveDiscoveryState(discovery: Discovery): void {
    this.#discovery = discovery
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier
  }

  codeVerifier(): string {
    return this.#verifier
  }

  invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
    if (scope === "all" || scope === "client") this.registration = undefined
    if (scope === "all" || scope === "tokens") this.current = undefined
    if (scope === "all" || scope === "verifier") this.#verifier = ""
    if (scope === "all" || scope === "discovery") this.#discovery = undefined
  }
}
