export function productTexts(root: string): string;
export function textsIn(source: string, name?: string): string[];
