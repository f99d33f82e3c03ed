import type { Inferlog } from "@inferlog/client"
import { createContext, createElement, type ReactElement, type ReactNode, useContext } from "react"

const Context = createContext<Inferlog | null>(null)

export interface InferlogProviderProps {
  /**
   * Made once, outside of components. In a page its `key` is a function that asks your server for a token
   * (docs/apps/browsers.md): `new Inferlog({ url, key: () => fetch("/api/inferlog-token", …) })`.
   */
  readonly client: Inferlog
  readonly children?: ReactNode
}

/** Gives a client to all hooks below it. */
export const InferlogProvider = ({ children, client }: InferlogProviderProps): ReactElement =>
  createElement(Context.Provider, { value: client }, children)

/** The client of the provider above. */
export const useInferlog = (): Inferlog => {
  const client = useContext(Context)
  if (client === null) throw new Error("There is no <InferlogProvider> above this component")
  return client
}
