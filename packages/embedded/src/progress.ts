/** One short line about what takes time just now. */
export type Progress = (message: string) => void;
