/** Reports what of a document is not honoured, by the pointer to it. */
export type Refuse = (pointer: string, reason: string) => void;
