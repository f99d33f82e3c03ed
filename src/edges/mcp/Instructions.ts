/** The server's instructions for the model: how the tools work together, and in which order. */

export const instructions = `inferlog runs machine-learning models (image, video, audio, text, utility) as asynchronous requests of the account that the user has signed in with.

Usual order:
1. Find a model: \`recommended_models\` and \`recommended_wrappers\` for a shortlist, \`search\` for free text, \`list_models\` and \`list_wrappers\` to page through all. A wrapper is a ready-made prompt template over a model and runs like one.
2. Read how to call it: \`get_model\` or \`get_wrapper\` for a compact description with its price, \`get_model_raw_schema\` for the exact JSON Schema of its input.
3. Files (pictures, audio, video) go into inputs as URLs only. Bring one that has no public URL with \`upload_file\` and use the \`fileUrl\` that it returns.
4. \`run_model\` submits the request and returns its \`requestId\` at once. It may cost money: tell the user the price first where that matters.
5. \`wait_for_request\` waits for the end and returns the output; when it says that the request is still running, call it again with the same \`requestId\`. \`get_request\` looks once without waiting.
6. \`list_my_requests\` shows the history of the account, newest first.

A model or wrapper is always named by \`modelEndpoint\`, as "owner/name". A request has succeeded when its \`outcome\` is \`succeeded\` or \`partial\`; the status COMPLETED alone does not say so. In answers, amounts of money are decimals in USD, times are ISO 8601, sizes are bytes, and null stands for what is unknown or not there. Only what succeeds is charged. A failed tool call says what to do next; calls that were refused for their input fail again unless it is changed.`
