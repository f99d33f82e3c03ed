/** Header values by lower-case name, as every transport has them. Repeated ones are joined by a comma and a space. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>
