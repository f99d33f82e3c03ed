/** What of a model is shown, in the URL. The input of the playground is in the fragment. */

const tabs = ["playground", "schema", "about"] as const
export type Tab = (typeof tabs)[number]

export interface ModelSearch {
  /** The playground without it. */
  readonly tab?: Exclude<Tab, "playground">
  /** The request that the playground shows. */
  readonly request?: string
}

export const parse = ({ request, tab }: Readonly<Record<string, unknown>>): ModelSearch => {
  const found = tabs.find((one) => one === tab)
  return {
    ...(found !== undefined && found !== "playground" && { tab: found }),
    ...(typeof request === "string" && /^[\w-]{21}$/.test(request) && { request })
  }
}
