import type { Meta, StoryObj } from "@storybook/react";
import { Card } from "./Card";

const meta: Meta<typeof Card> = { component: Card };
export default meta;

type Story = StoryObj<typeof Card>;

const lorem = "Lorem ipsum dolor sit amet, consectetur adipiscing elit. ";

export const Default: Story = {
  args: { title: "A card", text: "Some text.", image: "https://placehold.co/600x400" },
};

export const LongText: Story = {
  args: { ...Default.args, text: lorem.repeat(20) },
};

export const WithoutImage: Story = {
  args: { title: "A card", text: "Some text." },
};
